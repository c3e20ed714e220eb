/** How the schema of a field is asked for: its words, what may be chosen, and what is wrong with an answer. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Choice, Validator } from '../runtime/prompter.ts';

interface PromptField {
  readonly name: string;
  readonly label?: string | undefined;
  readonly multiple?: boolean;
  readonly optional?: boolean;
}

/** `Id or name of the group:`, by the label of the field, or the words of its name where it has none. */
export function formatPromptMessage({ name, label, multiple, optional }: PromptField): string {
  const note = optional ? ' (Enter to leave out)' : multiple ? ', one or more' : '';
  return `${label ?? labelOf(name)}${note}:`;
}

/** `user-email` as a label: `User email`. */
export function labelOf(name: string): string {
  const words = name.replace(/[-.]/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** What can be chosen, where that is known beforehand. */
export function listFixedChoices({ type, enum: values }: JsonSchema, optional: boolean): Choice[] | undefined {
  const known = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  const nothing = optional ? [{ value: '', name: '(leave out)' }] : [];
  return known && [...nothing, ...known.map((value) => ({ value, name: value }))];
}

/** Finds what the server would refuse, as far as the schema tells. */
export function createValidator(
  schema: JsonSchema,
  { multiple = false, optional = false }: { readonly multiple?: boolean; readonly optional?: boolean } = {},
): Validator {
  const validate = createTextValidator(schema);
  return (typed) => {
    const text = typed.trim();
    if (text === '') return optional || 'It is needed; Ctrl-C gives up.';
    const parts = multiple ? text.split(',').map((part) => part.trim()) : [text];
    return parts.map(validate).find((result) => result !== true) ?? true;
  };
}

function createTextValidator(schema: JsonSchema): Validator {
  const { type, pattern, minLength = 0, maxLength, description = '' } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (text) => {
    if (type === 'integer') return validateInteger(schema, text);
    if (text.length < minLength) return `It must have at least ${minLength} characters.`;
    if (maxLength !== undefined && text.length > maxLength) return `It must have at most ${maxLength} characters.`;
    if (expression?.test(text) === false) return `Not valid: ${description || `it must be like ${pattern}`}`;
    return true;
  };
}

function validateInteger({ minimum, maximum }: JsonSchema, text: string): true | string {
  if (!/^-?\d{1,15}$/.test(text)) return 'It must be a whole number.';
  if (minimum !== undefined && Number(text) < minimum) return `It must be at least ${minimum}.`;
  return maximum !== undefined && Number(text) > maximum ? `It must be at most ${maximum}.` : true;
}
