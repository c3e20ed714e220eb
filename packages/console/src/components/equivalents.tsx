/** The iam commands and the calls of curl that do the same as the page. */
import { Code, Group, Stack, Text } from '@mantine/core';
import { servicePrefix } from '../../../../src/contract/prefix.ts';
import { invisibleCharacters } from '../../../../src/contract/visible-names.ts';
import { useConsole } from '../api/console-context.ts';
import { type ApiRequest, describeRequest, type HttpCall } from '../api/requests.ts';
import { CopyTextButton } from './copy-text-button.tsx';

/** The shell inserts the token. */
const tokenOption = '-H "Authorization: Bearer $IAM_TOKEN"';

interface TerminalEntry {
  /** What it does, if it is one of several. */
  readonly title?: string;
  /** Without `iam`: `inbox list`. */
  readonly command?: string;
  readonly call: HttpCall | ApiRequest;
}

interface EquivalentsProps extends TerminalEntry {
  /** What else the page does. */
  readonly others?: readonly TerminalEntry[];
}

/** Once on a page or in a dialog, at its end. */
export function Equivalents({ others = [], ...first }: EquivalentsProps) {
  const { location } = useConsole();
  const format = useCommandFormat();
  const entries = [first, ...others].map(({ title, command, call: given }) => {
    const call = typeof given === 'function' ? describeRequest(given) : given;
    // The operations of the interface require credentials on every server.
    const isOperation = call.path.startsWith(`${servicePrefix}/`);
    const curl = formatCurl(`${window.location.origin}${location.basePath}`, call);
    return {
      title,
      isOperation,
      lines: [...(command === undefined ? [] : [format(command)]), isOperation ? `${curl} ${tokenOption}` : curl],
    };
  });
  return (
    <details className="terminal">
      <summary>The same from a terminal</summary>
      <Stack gap="xs" mt="xs">
        {entries.map(({ title, lines }) => (
          <Stack key={lines.join()} gap={4}>
            {title === undefined ? undefined : (
              <Text size="xs" c="dimmed">
                {title}
              </Text>
            )}
            {lines.map((line) => (
              <CopyableLine key={line} text={line} />
            ))}
          </Stack>
        ))}
        <Text size="xs" c="dimmed">
          {entries.some(({ isOperation }) => isOperation)
            ? 'IAM_TOKEN is an access token: IAM_TOKEN=$(iam token generate).'
            : 'A server with remote access requires an Authorization header as well.'}
        </Text>
      </Stack>
    </details>
  );
}

/** Formats a command without `iam` for the service that the console shows: that of a sandbox has its address. */
export function useCommandFormat(): (command: string) => string {
  const { location } = useConsole();
  // Before the command: nothing can follow an argument after `--`.
  const sandbox = location.sandbox === undefined ? '' : `--base-url ${window.location.origin}${location.basePath} `;
  return (command) => `iam ${sandbox}${command}`;
}

/** A command or a call, with a button that copies it. */
export function CopyableLine({ text, label = 'Command' }: { readonly text: string; readonly label?: string }) {
  return (
    <Group className="copyable" gap={0} wrap="nowrap" align="flex-start">
      <Code block flex={1} miw={0} tabIndex={0} aria-label={label}>
        {text}
      </Code>
      <CopyTextButton text={text} label="Copy" variant="subtle" />
    </Group>
  );
}

/** Formats a call of curl for a POSIX shell. */
export function formatCurl(baseUrl: string, { method = 'GET', path, headers = {}, body }: HttpCall): string {
  const parts = ['curl'];
  if (method !== 'GET') parts.push('-X', method);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) parts.push('-H', quoteShellArgument(`${name}: ${value}`));
  if (body !== undefined)
    parts.push(
      '-H',
      quoteShellArgument('Content-Type: application/json'),
      '-d',
      quoteShellArgument(JSON.stringify(body)),
    );
  parts.push(quoteShellArgument(`${baseUrl}${path}`));
  return parts.join(' ');
}

/** Quotes the value of an option for a POSIX shell, if it must be. Names and URLs come from others: they must stay data. */
export function quoteShellArgument(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  // Terminals act on control characters, also on pasted ones, and a reader does not see invisible ones.
  if (text.search(hidden) >= 0) return `$'${text.replaceAll(/[\\']/g, '\\$&').replaceAll(hidden, escapeHidden)}'`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes the last arguments. Behind one that could be taken for an option, no options can follow. */
export function quotePositional(...texts: readonly string[]): string {
  const quoted = texts.map(quoteShellArgument).join(' ');
  return texts.some((text) => text.startsWith('-')) ? `-- ${quoted}` : quoted;
}

/** The options of a list that are given: ` --to=alice`. A value is joined to its option, since it can begin with a hyphen. */
export function formatOptions(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` --${name}=${quoteShellArgument(value)}`))
    .join('');
}

const hidden = new RegExp(`[\\p{Cc}\\u2028\\u2029${invisibleCharacters}]`, 'gu');

/** The bytes in UTF-8: with another locale, the shell would not convert code points to them. */
function escapeHidden(character: string): string {
  const bytes = [...new TextEncoder().encode(character)];
  return bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
