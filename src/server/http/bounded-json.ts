/** Parses JSON text after checking its depth and number of values; rejects `__proto__` members. */
import { apiError, detailedError, fieldError } from '../../contract/errors.ts';

const maxDepth = 32;
/** Twice what the longest list that an operation accepts needs (10,000 objects of one member). */
const maxValues = 40_000;

/** @throws IamError BODY_NOT_JSON, BODY_TOO_DEEP, BODY_TOO_COMPLEX, FIELD_UNKNOWN. */
export function parseBoundedJson(text: string): unknown {
  assertBounded(text);
  return parseSafely(text);
}

/** Counts depth and values in one pass before parsing, ignoring the content of strings. */
function assertBounded(text: string): void {
  let depth = 0;
  let values = 1;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) quoted = !quoted;
    else if (quoted) at += character === 0x5c ? 1 : 0;
    else if (character === 0x2c) values += 1;
    else if (character === 0x7d || character === 0x5d) depth -= 1;
    else if (character === 0x7b || character === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > maxDepth)
        throw detailedError('BODY_TOO_DEEP', { limit: maxDepth }, `The body is nested deeper than ${maxDepth} levels.`);
    }
  }
  if (values > maxValues)
    throw detailedError('BODY_TOO_COMPLEX', { limit: maxValues }, `The body has more than ${maxValues} values.`);
}

function parseSafely(text: string): unknown {
  const value = parseJson(text);
  // The member name may be written with escapes.
  if (/__proto__|\\u/.test(text)) assertNoPrototype(value);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw apiError('BODY_NOT_JSON');
    throw error;
  }
}

/** A `__proto__` member is an own property here and becomes a prototype when the object is copied. */
function assertNoPrototype(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) throw fieldError('FIELD_UNKNOWN', '__proto__', '__proto__ is not a field.');
  for (const inner of Object.values(value)) assertNoPrototype(inner);
}
