/** Reads documents and secrets from files or standard input. */
import { isMeantAsJson, JsonError, parseJson } from '../../lib/json-text.ts';
import {
  maxSecretBytes,
  maxTextBytes,
  parseSecret,
  readTextFile,
  TextFileError,
  withoutFinalBreak,
} from '../../lib/text-file.ts';
import { type CliError, usageError } from '../errors.ts';
import { unreadableFileError } from './file-errors.ts';
import { type Io, readStream } from './io.ts';

/** Reads the text of a file; `-` is standard input. @throws CliError (exit 2) if it is not text, or too long */
export async function readText(file: string, io: Io, maxBytes = maxTextBytes): Promise<string> {
  try {
    return await (file === '-' ? readStream(io.stdin, io.signal, maxBytes) : readTextFile(file, maxBytes, io.signal));
  } catch (error) {
    if (file === '-' && !(error instanceof TextFileError)) throw error;
    throw unreadableFileError(nameOfInput(file), error);
  }
}

/** A file in messages. */
export function nameOfInput(file: string): string {
  return file === '-' ? 'standard input' : file;
}

/**
 * Reads one JSON or YAML document.
 * @param reportRepeated called for a repeated member of JSON, of which the last one counts: for files of other services
 * @throws CliError (exit 2) if it is empty or cannot be parsed; by default also for a repeated member
 */
export async function readDocument(
  file: string,
  io: Io,
  reportRepeated?: (error: JsonError) => void,
): Promise<unknown> {
  return parseDocument(await readText(file, io), file, reportRepeated);
}

async function parseDocument(text: string, file: string, reportRepeated?: (error: JsonError) => void) {
  const name = nameOfInput(file);
  if (text.trim() === '') throw usageError(`${name} is empty.`);
  try {
    return parseJson(text, reportRepeated);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.problem.kind !== 'syntax' || isMeantAsJson(file, text)) throw invalidJsonError(name, error);
  }
  const { parseYaml } = await import('./yaml.ts');
  return parseYaml(text, name);
}

/** The error of a file or a text that is not valid JSON (exit 2). */
export function invalidJsonError(name: string, { line, column, problem }: JsonError, hint?: string): CliError {
  return usageError(`${name}:${line}:${column}: ${problem.reason}.`, hint);
}

/** An object, and the text that it was read from. */
export interface ObjectText {
  readonly value: Record<string, unknown>;
  readonly text: string;
  /** The file in messages. */
  readonly name: string;
}

export async function readObject(file: string, io: Io): Promise<Record<string, unknown>> {
  return (await readObjectText(file, io)).value;
}

export async function readObjectText(file: string, io: Io): Promise<ObjectText> {
  const [text, name] = [await readText(file, io), nameOfInput(file)];
  const value = await parseDocument(text, file);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { value: value as Record<string, unknown>, text, name };
  throw usageError(`${name} must contain an object.`);
}

export async function readList(file: string, io: Io): Promise<unknown[]> {
  const value = await readDocument(file, io);
  if (Array.isArray(value)) return value;
  throw usageError(`${nameOfInput(file)} must contain a list.`);
}

/** Reads a secret from a file or standard input: exactly one line. */
export async function readSecret(file: string, io: Io): Promise<string> {
  const secret = parseSecret(await readText(file, io, maxSecretBytes));
  if (!secret) throw usageError(`${nameOfInput(file)} must contain one line with the secret.`);
  return secret;
}

/** Reads secrets from standard input, one per line. @throws CliError (exit 2) for another number of lines */
export async function readSecrets(names: readonly string[], io: Io): Promise<string[]> {
  const lines = withoutFinalBreak(await readText('-', io, maxSecretBytes)).split(/\r\n|\n|\r/);
  if (lines.length === names.length && !lines.includes('')) return lines;
  throw usageError(`Standard input must contain ${names.length} lines: ${names.join(', ')}.`);
}
