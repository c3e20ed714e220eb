/** How the schema of a field is asked for: its words, what may be chosen, and what is wrong with an answer. */
import type { JsonSchema } from '../../contract/manifest-types.ts';
import type { Check, Choice } from '../runtime/questions.ts';

interface Asked {
  readonly name: string;
  readonly label?: string | undefined;
  readonly several?: boolean;
  readonly optional?: boolean;
}

/** `Id or name of the group:`, by the label of the field, or the words of its name where it has none. */
export function messageOf({ name, label, several, optional }: Asked): string {
  const note = optional ? ' (Enter to leave out)' : several ? ', one or more' : '';
  return `${label ?? labelOf(name)}${note}:`;
}

/** `user-email` as a label: `User email`. */
export function labelOf(name: string): string {
  const words = name.replace(/[-.]/g, ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** What can be chosen, where that is known beforehand. */
export function choicesOf({ type, enum: values }: JsonSchema, optional: boolean): Choice[] | undefined {
  const known = values?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  const nothing = optional ? [{ value: '', name: '(leave out)' }] : [];
  return known && [...nothing, ...known.map((value) => ({ value, name: value }))];
}

/** Finds what the server would refuse, as far as the schema tells. */
export function checkOf(
  schema: JsonSchema,
  { several = false, optional = false }: { readonly several?: boolean; readonly optional?: boolean } = {},
): Check {
  const check = checkOfOne(schema);
  return (typed) => {
    const text = typed.trim();
    if (text === '') return optional || 'It is needed; Ctrl-C gives up.';
    const parts = several ? text.split(',').map((part) => part.trim()) : [text];
    return parts.map(check).find((result) => result !== true) ?? true;
  };
}

function checkOfOne(schema: JsonSchema): Check {
  const { type, pattern, minLength = 0, maxLength, description = '' } = schema;
  const expression = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return (text) => {
    if (type === 'integer') return integerCheck(schema, text);
    if (text.length < minLength) return `It must have at least ${minLength} characters.`;
    if (maxLength !== undefined && text.length > maxLength) return `It must have at most ${maxLength} characters.`;
    if (expression?.test(text) === false) return `Not valid: ${description || `it must be like ${pattern}`}`;
    return true;
  };
}

function integerCheck({ minimum, maximum }: JsonSchema, text: string): true | string {
  if (!/^-?\d{1,15}$/.test(text)) return 'It must be a whole number.';
  if (minimum !== undefined && Number(text) < minimum) return `It must be at least ${minimum}.`;
  return maximum !== undefined && Number(text) > maximum ? `It must be at most ${maximum}.` : true;
}
