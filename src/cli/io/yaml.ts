/** Reads and writes YAML. Loaded only by runs that need it. */
import { type CreateNodeOptions, Document, type ToStringOptions, visit } from 'yaml';
import { escapeInText } from '../../contract/visible-names.ts';
import { parseSingleYaml, tooManyAliases, toPlainValue } from '../../lib/yaml-text.ts';
import { usageError } from '../errors.ts';
import { hasControls } from './control-characters.ts';

/** Parses one YAML document. @throws CliError (exit 2) with the place if the text is not YAML */
export function parseYaml(text: string, name: string): unknown {
  const { document, problems } = parseSingleYaml(text);
  const [first] = problems;
  if (first) throw usageError(`${name}:${first.line}:${first.column}: ${first.reason}.`);
  const plainValue = document ? toPlainValue(document) : { value: null };
  if (!plainValue) throw usageError(`${name}: ${tooManyAliases}.`);
  return plainValue.value;
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
