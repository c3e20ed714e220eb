/** Validates a string against its schema. Pure. */
import type { JsonSchema } from '../../contract/manifest-types.ts';

/** Returns the error message, or undefined if the value is valid. */
export function checkText(
  value: string,
  { pattern, format, minLength = 0, maxLength, description }: JsonSchema,
): string | undefined {
  const length = [...value].length;
  if (length < minLength) return 'must not be empty';
  if (maxLength !== undefined && length > maxLength) return `must not be longer than ${maxLength} characters`;
  if (pattern !== undefined && !compilePattern(pattern).test(value))
    return `${JSON.stringify(value)} is not allowed here (${description ?? pattern})`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(value)) return 'must not contain control characters';
  if (/\p{Surrogate}/u.test(value)) return 'must be well-formed Unicode';
  if (format === 'uri' && !URL.canParse(value)) return `${JSON.stringify(value)} is not a URI`;
  return undefined;
}

const compiledPatterns = new Map<string, RegExp>();

/** Caches compiled patterns, because thousands of values share them. */
function compilePattern(pattern: string): RegExp {
  const expression = compiledPatterns.get(pattern) ?? new RegExp(pattern, 'u');
  compiledPatterns.set(pattern, expression);
  return expression;
}
