/** Parses JSON text after checking its depth and number of values; rejects repeated members and `__proto__` members. */
import { apiError, detailedError, fieldError, formatPath, type IamError } from '../../contract/errors.ts';
import {
  countJsonMembers,
  findPlace,
  isSuspicious,
  type JsonProblem,
  JsonScanner,
  measureJson,
} from '../../lib/json-text.ts';

const maxDepth = 32;
/** Twice what the longest list that an operation accepts needs (10,000 objects of one member). */
const maxValues = 40_000;

/** @throws IamError BODY_NOT_JSON, BODY_TOO_DEEP, BODY_TOO_COMPLEX, FIELD_REPEATED, FIELD_UNKNOWN. */
export function parseBoundedJson(text: string): unknown {
  const members = assertBounded(text);
  const value = parseText(text);
  // The scanner is slower, and needed for the place of a problem only.
  if (countJsonMembers(value) !== members) throw findProblem(text);
  if (isSuspicious(text)) assertNoPrototype(value);
  return value;
}

/** @returns the number of members, if the text is JSON. */
function assertBounded(text: string): number {
  const { depth, values, members } = measureJson(text);
  if (depth > maxDepth)
    throw detailedError('BODY_TOO_DEEP', { limit: maxDepth }, `The body is nested deeper than ${maxDepth} levels.`);
  if (values > maxValues)
    throw detailedError('BODY_TOO_COMPLEX', { limit: maxValues }, `The body has more than ${maxValues} values.`);
  return members;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw findProblem(text);
    throw error;
  }
}

function findProblem(text: string): IamError {
  const problem = new JsonScanner(text, maxDepth).scanTo(text.length);
  return problem ? createJsonError(problem, text) : apiError('BODY_NOT_JSON');
}

/** The error for a problem of a body, with its place. */
export function createJsonError({ kind, reason, offset, path }: JsonProblem, text: string): IamError {
  const { line, column } = findPlace(text, offset);
  const place = `line ${line}, column ${column}`;
  if (kind === 'syntax') return apiError('BODY_NOT_JSON', `The body is not JSON: ${place}: ${reason}.`);
  const field = formatPath(path);
  if (kind === 'repeated') return fieldError('FIELD_REPEATED', field, `${field} is repeated (${place}).`);
  return createPrototypeError();
}

/** A `__proto__` member is an own property here and becomes a prototype when the object is copied. */
function assertNoPrototype(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) throw createPrototypeError();
  for (const inner of Object.values(value)) assertNoPrototype(inner);
}

function createPrototypeError(): IamError {
  return fieldError('FIELD_UNKNOWN', '__proto__', '__proto__ is not a field.');
}
