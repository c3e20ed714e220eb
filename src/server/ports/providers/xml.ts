/**
 * Reads the plain part of XML: elements, attributes and text. What else there is (comments, document types, entities of
 * one's own, CDATA, processing instructions) has no place in a SAML response, and has helped to forge many. So whoever
 * reads the same text with another parser finds the same in it.
 */

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** By name without prefix; declarations of name spaces left out. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** All text directly in it. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly tag: string;
  readonly children: OpenElement[];
  text: string;
}

const deepest = 32;
const name = '[A-Za-z_][A-Za-z0-9_.-]*';
const declaration = /^\s*<\?xml [^<>?]*\?>/;
const token = new RegExp(
  `<(/)?((?:${name}:)?${name})((?:\\s+(?:${name}:)?${name}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/)?>|([^<]+)`,
  'y',
);
const attribute = new RegExp(`((?:${name}:)?${name})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'g');

/** The root element. @throws Error where the text is no XML, or not of the plain kind. */
export function readXml(text: string): XmlElement {
  const document = newElement('', {});
  const open = [document];
  token.lastIndex = declaration.exec(text)?.[0].length ?? 0;
  while (token.lastIndex < text.length) {
    const [, closing, tag, attributes, empty, characters] = token.exec(text) ?? fail();
    const parent = open.at(-1) ?? fail();
    if (tag === undefined) addText(parent, characters ?? '');
    else if (closing === undefined) {
      const element = newElement(tag, readAttributes(attributes ?? ''));
      parent.children.push(element);
      if (empty === undefined) open.push(element);
      if (open.length > deepest) fail();
    } else if (parent.tag !== tag || attributes || empty || open.pop() === document) fail();
  }
  const [root, ...others] = document.children;
  if (open.length !== 1 || !root || others.length > 0 || document.text.trim() !== '') fail();
  return root as XmlElement;
}

/** The element and all below it. */
export function* everyElement(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* everyElement(child);
}

export function childrenOf(element: XmlElement | undefined, called: string): XmlElement[] {
  return element?.children.filter((child) => child.name === called) ?? [];
}

/** The child of this name, where there is exactly one. */
export function onlyChild(element: XmlElement | undefined, called: string): XmlElement | undefined {
  const [child, ...others] = childrenOf(element, called);
  return others.length === 0 ? child : undefined;
}

function newElement(tag: string, attributes: Readonly<Record<string, string>>): OpenElement {
  return { tag, name: localName(tag), attributes, children: [], text: '' };
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function addText(parent: OpenElement, characters: string): void {
  parent.text += decoded(characters);
}

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  for (const [, tag = '', quoted, single] of text.matchAll(attribute)) {
    if (tag === 'xmlns' || tag.startsWith('xmlns:')) continue;
    if (localName(tag) in attributes) fail();
    attributes[localName(tag)] = decoded(quoted ?? single ?? '');
  }
  return attributes;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]+));|&/g, (_, hexadecimal, decimal, entity) => {
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return entities[entity] ?? fail();
  });
}

function fail(): never {
  throw new Error('the text is not XML of the plain kind');
}
