/** Values as profiles keep them. One that no command could work with would lock the profile out of being mended. */
import path from 'node:path';
import { usageError } from './errors.ts';
import { formats } from './output.ts';
import type { Profile } from './profile.ts';
import { stripUserInfo } from './redact.ts';

interface ValueType {
  readonly words: string;
  test(value: string): boolean;
  /** What is kept for the text; the text itself where left out. */
  from?(value: string): string | number | boolean;
}

const seconds: ValueType = {
  test: (value) => /^\d{1,5}(\.\d+)?$/.test(value) && Number(value) > 0,
  words: 'a number of seconds',
};
const yesOrNo: ValueType = {
  test: (value) => value === 'true' || value === 'false',
  words: 'true or false',
  from: (value) => value === 'true',
};
const file: ValueType = { test: (value) => value !== '-', words: 'a file', from: (value) => path.resolve(value) };

const valueTypes: Readonly<Partial<Record<keyof Profile, ValueType>>> = {
  baseUrl: { test: isBaseUrl, words: 'an http or https URL without a password' },
  output: { test: (value) => formats.some((format) => format === value), words: `one of ${formats.join(', ')}` },
  timeout: seconds,
  maxWait: { ...seconds, test: (value) => /^\d{1,5}(\.\d+)?$/.test(value) },
  protected: yesOrNo,
  readOnly: yesOrNo,
  maxChanges: { test: (value) => /^\d{1,9}$/.test(value), words: 'a whole number', from: Number },
  proxy: { test: (value) => /^https?:/.test(value) && URL.canParse(value), words: 'an http or https URL' },
  caFile: file,
  clientCert: file,
  clientKey: file,
};

function isBaseUrl(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).username + new URL(value).password === '';
}

/** The value that a profile keeps for a text. @throws CliError where no command could work with it. */
export function parseProfileValue(property: keyof Profile, text: string): string | number | boolean {
  const kind = valueTypes[property];
  if (kind && !kind.test(text)) throw usageError(`${JSON.stringify(stripUserInfo(text))} must be ${kind.words}.`);
  return kind?.from?.(text) ?? text;
}
