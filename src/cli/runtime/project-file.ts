/**
 * `.iamrc.json` of a project: settings for whoever works in it. It comes with the project, perhaps from strangers, so it
 * holds no secrets, says nothing about the way calls take, and redirects no credentials (see `assertOwnTarget`).
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeControls } from './control-characters.ts';
import { usageError } from './errors.ts';

export interface ProjectFile {
  readonly path: string;
  /** By the keys of settings, as text. */
  readonly values: Readonly<Record<string, string>>;
  /** What in it is not used, and why. */
  readonly warnings: readonly string[];
}

/** A setting as the table of settings declares it. */
export interface ProjectSetting {
  readonly key: string;
  readonly environment: string;
  readonly secret?: boolean;
  /** Whether the file may hold it. */
  readonly project?: boolean;
}

export const projectFileName = '.iamrc.json';

/** The nearest such file, from a folder upwards. @throws CliError where it can not be read as what it is. */
export function findProjectFile(folder: string, settings: readonly ProjectSetting[]): ProjectFile | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const file = path.join(at, projectFileName);
    const text = readTextIfReadable(file);
    if (text !== undefined) return parseProjectFile(text, file, settings);
    if (path.dirname(at) === at) return undefined;
  }
}

/** A folder that can't be read is none that somebody works in. */
function readTextIfReadable(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Reads the text of such a file; `settings` are all that there are. */
export function parseProjectFile(text: string, file: string, settings: readonly ProjectSetting[]): ProjectFile {
  const entries = Object.entries(parseObject(text, file)).map(([name, value]) => [toSettingKey(name), value] as const);
  const warnings = entries.flatMap(([name, value]) => listWarnings(file, name, value, settings));
  const used = entries.filter(([name, value]) => listWarnings(file, name, value, settings).length === 0);
  return { path: file, values: Object.fromEntries(used.map(([name, value]) => [name, String(value)])), warnings };
}

/** `baseUrl`, as profiles have it, means `base-url`. */
function toSettingKey(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

function parseObject(text: string, file: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The next line says it for both.
  }
  throw usageError(`${file} is no JSON object.`, 'Mend it, or take it away.');
}

function listWarnings(file: string, name: string, value: unknown, settings: readonly ProjectSetting[]): string[] {
  const keys = settings.filter(({ project }) => project).map(({ key }) => key);
  const shown = escapeControls(JSON.stringify(name));
  if (isSecretSetting(name, settings))
    return [`${file} holds a secret, ${shown}: it is not used. Take it out; a project is shared.`];
  if (!keys.includes(name)) return [`${file} holds ${shown}, which is not used there. It takes ${keys.join(', ')}.`];
  return typeof value === 'object' ? [`${file}: ${shown} must be one plain value.`] : [];
}

/** However it is written: `clientSecret`, `client_secret` and the name of its variable are `client-secret`. */
function isSecretSetting(name: string, settings: readonly ProjectSetting[]): boolean {
  const letters = (text: string) => text.replace(/[^A-Za-z]/g, '').toLowerCase();
  return settings.some(
    ({ key, environment, secret }) => secret && [key, environment].map(letters).includes(letters(name)),
  );
}
