/** Prompts for the URL of a server. */
import { usageError } from '../errors.ts';
import { type PromptOptions, promptText } from '../io/prompt.ts';
import { parseProfileValue } from './profile-value.ts';
import { findSetting } from './settings.ts';

/** Prompts for the base URL; an empty answer is the default. @throws CliError (exit 10) in non-interactive mode */
export async function promptBaseUrl(promptOptions: PromptOptions): Promise<string> {
  const fallback = findSetting('base-url')?.fallback ?? '';
  const typed = await promptText(
    promptOptions,
    `URL of the service (Enter for ${fallback})`,
    'Name it with --base-url or IAM_BASE_URL.',
  );
  const url = typed || fallback;
  if (!URL.canParse(url)) throw usageError(`${JSON.stringify(typed)} is not an http or https URL.`);
  parseProfileValue('baseUrl', url);
  return url;
}
