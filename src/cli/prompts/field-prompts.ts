/** Prompts for a field from its schema: message, choices and validation. */
import { describeEmailProblem, normalizeEmail } from '../../contract/email/email-address.ts';
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Choice, Validator } from '../io/prompter.ts';

interface PromptField {
  readonly name: string;
  readonly label?: string | undefined;
  readonly multiple?: boolean;
  readonly optional?: boolean;
  readonly clearable?: boolean;
}

/** The message of a prompt, `Id or name of the group:`, from the label of the field or else its name. */
export function formatPromptMessage({ name, label, multiple, optional, clearable }: PromptField): string {
  const note = optional ? ` (Enter to skip${clearable ? ', null to clear' : ''})` : multiple ? ', one or more' : '';
  return `${label ?? labelOf(name)}${note}:`;
}

/** Converts `user-email` to a label: `User email`. */
export function labelOf(name: string): string {
  const words = name.replace(/[-.]/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The choices of an enum or a boolean, after others; undefined for other schemas. */
export function listFixedChoices(
  { type, enum: values }: JsonSchema,
  others: readonly Choice[] = [],
): Choice[] | undefined {
  const known = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  return known && [...others, ...known.map((value) => ({ value, name: value }))];
}

/** Creates a validator from a schema, so that invalid input is rejected before the request. */
export function createValidator(
  schema: JsonSchema,
  { multiple = false, optional = false }: { readonly multiple?: boolean; readonly optional?: boolean } = {},
): Validator {
  const validate = createTextValidator(schema);
  return (typed) => {
    const text = typed.trim();
    if (text === '') return optional || 'A value is required. Esc cancels.';
    const parts = multiple ? text.split(',').map((part) => part.trim()) : [text];
    return parts.map(validate).find((result) => result !== true) ?? true;
  };
}

function createTextValidator(schema: JsonSchema): Validator {
  const { type, format, pattern, minLength = 0, maxLength, description = '' } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (text) => {
    if (type === 'integer') return validateInteger(schema, text);
    if (format === 'idn-email') return validateEmail(text);
    if (text.length < minLength) return `Must have at least ${minLength} characters.`;
    if (maxLength !== undefined && text.length > maxLength) return `Must have at most ${maxLength} characters.`;
    if (expression?.test(text) === false) return `Not valid: ${description || `must match ${pattern}`}`;
    return true;
  };
}

function validateEmail(text: string): true | string {
  const problem = describeEmailProblem(normalizeEmail(text));
  return problem === undefined || `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.`;
}

function validateInteger({ minimum, maximum }: JsonSchema, text: string): true | string {
  if (!/^-?\d{1,15}$/.test(text)) return 'Must be a whole number.';
  if (minimum !== undefined && Number(text) < minimum) return `Must be at least ${minimum}.`;
  return maximum !== undefined && Number(text) > maximum ? `Must be at most ${maximum}.` : true;
}
