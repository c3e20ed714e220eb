/** Detects code that decides by a text, by a part of an error code or by the spelling of a name. */
import { parseAst } from 'vitest/node';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const proseNames = ['message', 'title', 'description', 'summary'];
/** String methods that inspect the string. */
const inspecting = [
  ...['match', 'matchAll', 'split', 'includes', 'startsWith', 'endsWith', 'replace', 'replaceAll', 'search', 'slice'],
  ...['substring', 'indexOf', 'lastIndexOf', 'charAt', 'at'],
];
/** Methods that inspect a string argument. */
const inspectingArgument = ['test', 'exec', 'includes', 'indexOf', 'has', 'startsWith', 'endsWith'];
const comparisons = ['===', '!==', '==', '!='];

/** `'_TAKEN'` or `'ROLE_'`. */
const affixOfCode = /^_[A-Z][A-Z0-9_]*$|^[A-Z][A-Z0-9_]*_$/;
/** `'Id'` or `'-name'`. */
const affixOfName = /^[A-Z][a-z]+$|^-[a-z]+$/;
/** A pattern that has `Name` or `Ids?` as the end of a word, ends with `-(id|name)$`, or begins or ends with the affix of a code. */
const patternOfName = /(?:Id|Name)s?\??(?:[|)$]|$)|-\(?(?:id|name)\b[^$]*\$|\^\(?[A-Z]+_|_[A-Z]+\)?\$/;

/** The source of each expression that decides by a spelling, in the order of the file. */
export function inspectionsIn(code: string, lang: 'ts' | 'tsx' = 'ts'): string[] {
  const found: string[] = [];
  traverse(parseAst(code, { lang }) as unknown as Node, (node) => {
    if (isInspection(node)) found.push(code.slice(node.start, node.end).replaceAll(/\s+/g, ' '));
  });
  return found;
}

function traverse(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const value of Object.values(node))
    for (const child of [value].flat()) if (isNode(child)) traverse(child, visit);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

function isInspection(node: Node): boolean {
  if (node.type === 'CallExpression') return isInspectingCall(node);
  if (node.type === 'SwitchStatement') return isProse(node.discriminant);
  if (node.type === 'BinaryExpression' && comparisons.includes(String(node.operator)))
    return (isProse(node.left) && !isNothing(node.right)) || (isProse(node.right) && !isNothing(node.left));
  return isNode(node.regex) === false && node.type === 'Literal' && patternOfName.test(patternIn(node));
}

function patternIn({ regex }: Node): string {
  return (regex as { readonly pattern: string } | null | undefined)?.pattern ?? '';
}

function isInspectingCall({ callee, arguments: args }: Node): boolean {
  const target = bare(callee);
  const method = nameOf(target?.property);
  const nodes = args as readonly Node[];
  if (inspecting.includes(method) && isProse(target?.object)) return true;
  if (inspectingArgument.includes(method) && nodes.some(isProse)) return true;
  return (method === 'startsWith' || method === 'endsWith') && nodes.some(isAffix);
}

function isAffix({ type, value }: Node): boolean {
  return type === 'Literal' && typeof value === 'string' && (affixOfCode.test(value) || affixOfName.test(value));
}

/** A message, a title or a description, also after `??`, a cast or a method of a text. */
function isProse(value: unknown): boolean {
  const node = bare(value);
  if (!node) return false;
  if (node.type === 'Identifier') return proseNames.includes(nameOf(node));
  if (node.type === 'LogicalExpression') return isProse(node.left) || isProse(node.right);
  if (node.type === 'CallExpression') {
    const callee = bare(node.callee);
    return callee?.type === 'MemberExpression' && isProse(callee.object);
  }
  return node.type === 'MemberExpression' && proseNames.includes(nameOf(node.property));
}

function nameOf(value: unknown): string {
  return isNode(value) && value.type === 'Identifier' ? String(value.name) : '';
}

function isNothing(value: unknown): boolean {
  const node = bare(value);
  return node?.type === 'Literal' ? node.value === null && !node.regex : nameOf(node) === 'undefined';
}

const wrappers = ['ChainExpression', 'ParenthesizedExpression', 'TSAsExpression', 'TSNonNullExpression'];

/** The expression without parentheses, casts and the mark of an optional chain. */
function bare(value: unknown): Node | undefined {
  if (!isNode(value)) return undefined;
  return wrappers.includes(value.type) ? bare(value.expression) : value;
}
