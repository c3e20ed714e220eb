/** Parses the error array of the service. Fields of unexpected types, from a proxy or another version, are ignored. */
import type { ClientErrorItem, ErrorDetails } from './errors.ts';

/** Returns the items of an error array, or an empty array for any other body. */
export function errorItems(body: unknown): ClientErrorItem[] {
  return Array.isArray(body) && body.length > 0 && body.every(isErrorItem) ? body.map(withKnownDetails) : [];
}

function isErrorItem(value: unknown): value is ClientErrorItem {
  if (!isObject(value)) return false;
  const { code, message, details, ...others } = value;
  const areDetails = details === undefined || isObject(details);
  return typeof code === 'string' && typeof message === 'string' && areDetails && Object.keys(others).length === 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const types: Readonly<Record<keyof ErrorDetails, (value: unknown) => boolean>> = {
  field: isText,
  fields: areTexts,
  missingRoles: areTexts,
  missingScopes: areTexts,
  grantedByGroups: areTexts,
  limit: isNumber,
  retryAfter: isNumber,
  setting: isText,
};

function withKnownDetails({ code, message, details = {} }: ClientErrorItem): ClientErrorItem {
  const known = Object.entries(types).flatMap(([name, isOfType]) => {
    const value = details[name as keyof ErrorDetails];
    return isOfType(value) ? [[name, value]] : [];
  });
  return known.length === 0 ? { code, message } : { code, message, details: Object.fromEntries(known) };
}
