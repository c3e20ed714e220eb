/** What an answer tells whoever got it, but for what is another one with every answer. */
import type { RawAnswer } from '../server/property/raw.ts';

const ofEveryAnswer = ['date', 'x-request-id', 'content-length'];

/** Values that are made for one answer, by what they look like. */
const made: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<token>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b[0-9a-f]{24}\b/g, '<id>'],
  [/"[\w-]{43}"/g, '<secret>'],
  // Of somebody unknown it is made up from what was asked.
  [/\b[a-z]?\*\*\*(@[a-z.]+|\d*)|\*\*\*\d+/g, '<masked contact>'],
];

/** Everything that is to be the same: status, headers and body, with `<it>` where the object is named. */
export function toldBy({ status, headers, text }: RawAnswer, value: string | number): string {
  const kept = Object.entries(headers).filter(([name]) => !ofEveryAnswer.includes(name));
  const named = [...new Set([encodeURIComponent(value), String(value)])];
  const whole = named.reduce(
    (told, name) => told.replaceAll(name, '<it>'),
    [status, ...kept.map(([name, content]) => `${name}: ${content}`), text].join('\n'),
  );
  return made.reduce((told, [pattern, word]) => told.replaceAll(pattern, word), whole);
}

/** The code of a refusal; empty where there is none. */
export function codeOf({ json }: Pick<RawAnswer, 'json'>): string {
  if (Array.isArray(json)) return String(json[0]?.code ?? '');
  return String(Object(json).error ?? '');
}

/** Status and code. */
export function briefly(answer: RawAnswer): string {
  return `${answer.status} ${codeOf(answer)}`.trim();
}
