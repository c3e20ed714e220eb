/** The content of a response without values that differ in every response. */
import type { RawResponse } from '../../server/property/raw-sender.ts';

const volatileHeaders = ['date', 'x-request-id', 'content-length'];

/** Patterns of values that differ in every response, with their replacements. */
const volatileValues: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b[0-9a-f]{24}\b/g, '<id>'],
  [/"[\w-]{43}"/g, '<secret>'],
  // Derived from the request for an unknown user.
  [/\b[a-z]?\*\*\*(@[a-z.]+|\d*)|\*\*\*\d+/g, '<masked contact>'],
];

/** Status, stable headers and body; the name of the object is replaced by `<it>`. */
export function normalizeResponse({ status, headers, text }: RawResponse, value: string | number): string {
  const stableHeaders = Object.entries(headers).filter(([name]) => !volatileHeaders.includes(name));
  const named = [...new Set([encodeURIComponent(value), String(value)])];
  const whole = named.reduce(
    (result, name) => result.replaceAll(name, '<it>'),
    [status, ...stableHeaders.map(([name, content]) => `${name}: ${content}`), text].join('\n'),
  );
  return volatileValues.reduce((result, [pattern, word]) => result.replaceAll(pattern, word), whole);
}

/** The error code; empty if the request succeeded. */
export function readErrorCode({ json }: Pick<RawResponse, 'json'>): string {
  if (Array.isArray(json)) return String(json[0]?.code ?? '');
  return String(Object(json).error ?? '');
}

/** Status and code. */
export function formatOutcome(response: RawResponse): string {
  return `${response.status} ${readErrorCode(response)}`.trim();
}
