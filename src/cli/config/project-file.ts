/**
 * `.iamrc.json`: shared settings of a project. The file is not trusted, so it must not contain secrets or connection
 * settings, and must not redirect credentials (see `assertOwnTarget`). One that another user wrote or can write is ignored.
 */
import { lstatSync } from 'node:fs';
import path from 'node:path';
import type { FileTrust } from '../../lib/file-trust.ts';
import { JsonError, parseJson } from '../../lib/json-text.ts';
import { maxTextBytes, readTextFileSync, TextFileError } from '../../lib/text-file.ts';
import { usageError } from '../errors.ts';
import { escapeControls } from '../io/control-characters.ts';
import { unreadableFileError } from '../io/file-errors.ts';
import { invalidJsonError } from '../io/input.ts';

export interface ProjectFile {
  readonly path: string;
  /** Values as text, by setting key. */
  readonly values: Readonly<Record<string, string>>;
  /** Ignored entries, with the reason. */
  readonly warnings: readonly string[];
}

/** A setting from the table of settings. */
export interface ProjectSetting {
  readonly key: string;
  readonly environment: string;
  readonly secret?: boolean;
  /** Whether a project file may set it. */
  readonly project?: boolean;
}

const projectFileName = '.iamrc.json';

/**
 * Finds the nearest project file that is trusted, from a folder upwards. Others are named in its warnings: they must not
 * hide one with safety rules. @throws CliError (exit 2) if it cannot be parsed
 */
export function findProjectFile(
  folder: string,
  settings: readonly ProjectSetting[],
  trust: FileTrust,
): ProjectFile | undefined {
  let ignored: ProjectFile | undefined;
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const file = path.join(at, projectFileName);
    const isFound = isPresent(file);
    const problem = isFound ? trust.findProblem([file, at], 'settings') : undefined;
    const text = isFound && !problem ? readTextIfReadable(file) : undefined;
    if (problem) {
      const warning = `${file} is ignored: ${problem.message}. ${problem.hint}.`;
      ignored = { path: file, values: {}, warnings: [...(ignored?.warnings ?? []), warning] };
    }
    if (text !== undefined) {
      const found = parseProjectFile(text, file, settings);
      return { ...found, warnings: [...(ignored?.warnings ?? []), ...found.warnings] };
    }
    if (path.dirname(at) === at) return ignored;
  }
}

function isPresent(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Its folder cannot be searched.
    return false;
  }
}

/** Reads a file; undefined if it is not readable. @throws CliError (exit 2) if it is not text */
function readTextIfReadable(file: string): string | undefined {
  try {
    return readTextFileSync(file, maxTextBytes);
  } catch (error) {
    if (error instanceof TextFileError) throw unreadableFileError(file, error);
    return undefined;
  }
}

/** Parses the text of a project file; `settings` are all known settings. */
function parseProjectFile(text: string, file: string, settings: readonly ProjectSetting[]): ProjectFile {
  // `$schema` is for editors.
  const { $schema: _, ...values } = parseObject(text, file);
  const entries = Object.entries(values).map(([name, value]) => [toSettingKey(name), value] as const);
  const warnings = entries.flatMap(([name, value]) => listWarnings(file, name, value, settings));
  const used = entries.filter(([name, value]) => listWarnings(file, name, value, settings).length === 0);
  return { path: file, values: Object.fromEntries(used.map(([name, value]) => [name, String(value)])), warnings };
}

/** Converts `baseUrl` to `base-url`. */
function toSettingKey(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

function parseObject(text: string, file: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw error instanceof JsonError ? invalidJsonError(file, error, 'Repair or remove it.') : error;
  }
  throw usageError(`${file} must contain a JSON object.`, 'Repair or remove it.');
}

function listWarnings(file: string, name: string, value: unknown, settings: readonly ProjectSetting[]): string[] {
  const keys = settings.filter(({ project }) => project).map(({ key }) => key);
  const quotedName = escapeControls(JSON.stringify(name));
  if (isSecretSetting(name, settings))
    return [
      `${file} contains the secret ${quotedName}, which is ignored. Remove it, because project files are shared.`,
    ];
  if (!keys.includes(name))
    return [`${file} contains ${quotedName}, which is ignored. Supported settings: ${keys.join(', ')}.`];
  return typeof value === 'object' ? [`${file}: ${quotedName} must be a string, number or boolean.`] : [];
}

/** Matches any spelling: `clientSecret`, `client_secret` and the name of its variable are `client-secret`. */
function isSecretSetting(name: string, settings: readonly ProjectSetting[]): boolean {
  const letters = (text: string) => text.replace(/[^A-Za-z]/g, '').toLowerCase();
  return settings.some(
    ({ key, environment, secret }) => secret && [key, environment].map(letters).includes(letters(name)),
  );
}
