/** The one way to questions: whether there is anybody to answer, and how each kind of question is put. */
import { escapeControls } from './control-characters.ts';
import { unanswered } from './failures.ts';
import { terminalGateway } from './gateway.ts';
import type { Environment, Io } from './io.ts';
import type { Question } from './questions.ts';

export interface Asking {
  readonly io: Io;
  readonly environment: Environment;
  /** False with --no-input. */
  readonly input: boolean;
  /** Standard input is the data of the command. */
  readonly stdinIsData: boolean;
  /** auto, always or never. */
  readonly color?: string | undefined;
}

/** Whether there is somebody to answer. */
export function canAsk({ io, environment, input, stdinIsData }: Asking): boolean {
  const isTerminal = io.stdin.isTTY === true && io.stderr.isTTY === true;
  const ci = environment.variables.CI;
  return isTerminal && input && !stdinIsData && (ci === undefined || ci === '' || ci === 'false');
}

/** Asks yes or no; no where only Enter is pressed. Fails where nobody can answer. */
export async function confirm(asking: Asking, message: string): Promise<boolean> {
  if (!canAsk(asking))
    throw unanswered(
      `${message} Nobody can be asked here, and nothing was sent.`,
      'Add --yes to go on without being asked.',
    );
  return (await ask(asking, { type: 'confirm', message, default: false })) === true;
}

/** Asks to type a name, so that nobody says yes to the wrong thing. Fails where nobody can answer. */
export async function confirmByName(asking: Asking, message: string, name: string): Promise<boolean> {
  if (!canAsk(asking))
    throw unanswered(
      `${message} Nobody can be asked here, and nothing was sent.`,
      `Add --confirm ${name} to go on without being asked; --yes is not enough for this.`,
    );
  const typed = await ask(asking, { type: 'input', message: `${message} Type ${name} to go on:` });
  return String(typed).trim() === name;
}

/** Asks for a value that is not shown. Fails where nobody can answer. */
export async function askSecret(asking: Asking, message: string, otherwise: string): Promise<string> {
  if (!canAsk(asking)) throw unanswered(`${message} is needed, and nobody can be asked here.`, otherwise);
  return String(await ask(asking, { type: 'password', message, mask: '*' }));
}

/** Asks for a value. Fails where nobody can answer. */
export async function askText(asking: Asking, message: string, otherwise: string): Promise<string> {
  if (!canAsk(asking)) throw unanswered(`${message} is needed, and nobody can be asked here.`, otherwise);
  return String(await ask(asking, { type: 'input', message })).trim();
}

/** Puts a question of any kind. To be called only where `canAsk`. */
export async function ask({ io, environment, color }: Asking, given: Question): Promise<unknown> {
  // Names of the server and of files are in it.
  const question = { ...given, message: escapeControls(given.message) };
  if (io.gateway) return io.gateway(question);
  const { colours } = await import('./colour.ts');
  return terminalGateway(io, colours(io.stderr, environment, color).level > 0)(question);
}
