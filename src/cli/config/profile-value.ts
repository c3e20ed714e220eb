/** Validates profile values. An invalid one would make every command fail, including those that repair the profile. */
import path from 'node:path';
import { usageError } from '../errors.ts';
import { formats } from '../output/format.ts';
import type { Profile } from './profile.ts';
import { stripUserInfo } from './server-url.ts';

interface ValueType {
  readonly expected: string;
  test(value: string): boolean;
  /** Converts the text to the stored value; by default the text itself. */
  from?(value: string): string | number | boolean;
}

const seconds: ValueType = {
  test: (value) => /^\d{1,5}(\.\d+)?$/.test(value) && Number(value) > 0,
  expected: 'a number of seconds',
};
const yesOrNo: ValueType = {
  test: (value) => value === 'true' || value === 'false',
  expected: 'true or false',
  from: (value) => value === 'true',
};
const file: ValueType = { test: (value) => value !== '-', expected: 'a file', from: (value) => path.resolve(value) };

const valueTypes: Readonly<Partial<Record<keyof Profile, ValueType>>> = {
  baseUrl: { test: isBaseUrl, expected: 'an http or https URL without a password' },
  output: { test: (value) => formats.some((format) => format === value), expected: `one of ${formats.join(', ')}` },
  timeout: seconds,
  maxWait: { ...seconds, test: (value) => /^\d{1,5}(\.\d+)?$/.test(value) },
  protected: yesOrNo,
  readOnly: yesOrNo,
  maxChanges: { test: (value) => /^\d{1,9}$/.test(value), expected: 'a whole number', from: Number },
  proxy: { test: (value) => /^https?:/.test(value) && URL.canParse(value), expected: 'an http or https URL' },
  caFile: file,
  clientCert: file,
  clientKey: file,
};

function isBaseUrl(value: string): boolean {
  return /^https?:/.test(value) && URL.canParse(value) && new URL(value).username + new URL(value).password === '';
}

/** Parses text to the value that a profile stores. @throws CliError (exit 2) if it is not valid */
export function parseProfileValue(property: keyof Profile, text: string): string | number | boolean {
  const kind = valueTypes[property];
  if (kind && !kind.test(text)) throw usageError(`${JSON.stringify(stripUserInfo(text))} must be ${kind.expected}.`);
  return kind?.from?.(text) ?? text;
}
