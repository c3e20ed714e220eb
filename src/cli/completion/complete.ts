/** The command behind the shell scripts: `iam __complete bash BREAKS LINE` or `iam __complete -- WORDS`. */
import type { Manifest } from '../../contract/manifest-types.ts';
import { addTrustedFolders, canBeListed } from '../../lib/file-trust.ts';
import type { CliSettings } from '../config/settings.ts';
import { loadSettings } from '../context.ts';
import type { Environment, Io } from '../io/io.ts';
import { buildProgram } from '../program.ts';
import { completeAtCursor } from './at-cursor.ts';
import { formatBashCandidates, parseBashLine } from './bash-line.ts';
import { type Completions, formatCandidate, noCompletions, sanitizeCompletions } from './candidate.ts';
import { parsePosition } from './position.ts';
import { createListReader } from './server-lists.ts';

/** Total milliseconds for requests to the server: the user waits after a keystroke. */
const timeoutMs = 2_000;

export interface CompletionDeps {
  readonly io: Io;
  readonly environment: Environment;
  readonly manifest: Manifest;
  /** Starts the shared timeout of all requests on the first of them. */
  readonly limit?: () => AbortSignal;
}

/**
 * Writes one line with the kind of the result and one line per candidate. Errors are silent, because the user has
 * not run a command yet.
 */
export async function complete(deps: CompletionDeps, args: readonly string[]): Promise<void> {
  const lines = await buildCompletionLines(deps, args).catch(() => formatLines(noCompletions, []));
  deps.io.stdout.write(`${lines.join('\n')}\n`);
}

async function buildCompletionLines(deps: CompletionDeps, args: readonly string[]): Promise<string[]> {
  if (args[0] !== 'bash') {
    const completions = await findCompletions(deps, args.slice(1, -1), args.slice(1).at(-1) ?? '');
    return formatLines(completions, completions.values.map(formatCandidate));
  }
  const [, breaks = '', text = ''] = args;
  const line = parseBashLine(text, breaks);
  if (line.isRedirectTarget) return formatLines({ values: [], files: true }, []);
  const completions = await findCompletions(deps, line.words.slice(1), line.typed);
  return formatLines(completions, formatBashCandidates(line, completions.values));
}

function formatLines({ files, open }: Completions, texts: readonly string[]): string[] {
  return [files ? 'files' : open ? 'open' : 'values', ...texts];
}

async function findCompletions(deps: CompletionDeps, words: readonly string[], typed: string): Promise<Completions> {
  const { io, manifest, limit = () => AbortSignal.timeout(timeoutMs) } = deps;
  const program = await buildProgram(io, deps.environment, { manifest, words });
  const { trustFolder, ...options } = parsePosition(program, words).options;
  const trusted = trustFolder !== undefined && canBeListed(trustFolder) ? [trustFolder] : [];
  const environment = { ...deps.environment, variables: addTrustedFolders(deps.environment.variables, trusted) };
  let known: Promise<CliSettings> | undefined;
  const settings = () => (known ??= loadSettings(environment, options));
  let deadline: AbortSignal | undefined;
  const lists = createListReader({ io, environment, manifest, settings, limit: () => (deadline ??= limit()) });
  return sanitizeCompletions(await completeAtCursor({ program, manifest, environment, lists }, words, typed));
}
