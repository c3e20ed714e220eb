/** Reads and writes YAML. Loaded only by runs that need it. */
import { type CreateNodeOptions, Document, parse, type ToStringOptions, visit, YAMLParseError } from 'yaml';
import { escapeInText } from '../../contract/visible-names.ts';
import { usageError } from '../errors.ts';
import { hasControls } from './control-characters.ts';

/** Parses one YAML document. @throws CliError (exit 2) with the place if the text is not YAML */
export function parseYaml(text: string, name: string): unknown {
  try {
    return parse(text, { stringKeys: true });
  } catch (error) {
    const [place] = error instanceof YAMLParseError ? (error.linePos ?? []) : [];
    const position = place ? `:${place.line}:${place.col}` : '';
    throw usageError(`${name}${position}: ${describeYamlError((error as Error).message)}.`);
  }
}

/** The message of the YAML parser without the place and the line that it adds. */
export function describeYamlError(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '');
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
