/** YAML, in a file of its own: a dynamic import of the package itself has no named exports once it is bundled. */
import { type CreateNodeOptions, Document, type ToStringOptions, visit } from 'yaml';
import { escapeInText, hasControls } from './control-characters.ts';

export {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parse as parseYaml,
  parseAllDocuments,
} from 'yaml';

/** YAML that says the same, and in which each character that could steer a terminal is an escape. */
export function formatYaml(value: unknown, options: CreateNodeOptions & ToStringOptions = {}): string {
  const document = new Document(value, options);
  // Only text in double quotes has escapes.
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && hasControls(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return escapeInText(document.toString(options));
}
