/** Reads and writes YAML. Loaded only by runs that need it. */
import { type CreateNodeOptions, Document, parse, type ToStringOptions, visit } from 'yaml';
import { escapeInText } from '../../contract/visible-names.ts';
import { hasControls } from './control-characters.ts';

/** Parses one YAML document. @throws Error with the position if the text is not YAML */
export function parseYaml(text: string): unknown {
  return parse(text);
}

/** Serializes to YAML with terminal control characters escaped. */
export function formatYaml(value: unknown, options: CreateNodeOptions & ToStringOptions = {}): string {
  const document = new Document(value, options);
  // Only double-quoted text supports escapes.
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && hasControls(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeInText(document.toString(options));
}
