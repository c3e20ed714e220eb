/**
 * Parses a subset of XML: elements, attributes and text. It rejects comments, document types, custom entities, CDATA and
 * processing instructions, which a SAML response does not need and which have been used to forge responses. Other parsers
 * therefore read the same content from the same text.
 */

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string;
  /** By name without prefix; without namespace declarations. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** All direct text content. */
  readonly text: string;
}

interface OpenElement extends XmlElement {
  readonly tag: string;
  readonly children: OpenElement[];
  text: string;
}

/**
 * Limits of a document. Libraries that process it afterwards search ancestors, siblings and namespaces of each element,
 * some of them repeatedly: these limits bound their cost.
 */
export interface XmlLimits {
  readonly depth: number;
  readonly elements: number;
  /** Distinct element names, with their prefixes. */
  readonly names: number;
  /** Attributes without namespace declarations, per element and in total. */
  readonly attributesEach: number;
  readonly attributes: number;
  /** Namespace declarations, per element and in total, and the characters of each. */
  readonly declarationsEach: number;
  readonly declarations: number;
  readonly namespaceLength: number;
}

/** For text with a verified signature. */
const unlimited: XmlLimits = {
  depth: 32,
  elements: Number.POSITIVE_INFINITY,
  names: Number.POSITIVE_INFINITY,
  attributesEach: Number.POSITIVE_INFINITY,
  attributes: Number.POSITIVE_INFINITY,
  declarationsEach: Number.POSITIVE_INFINITY,
  declarations: Number.POSITIVE_INFINITY,
  namespaceLength: Number.POSITIVE_INFINITY,
};

const name = '[A-Za-z_][A-Za-z0-9_.-]*';
const declaration = /^\s*<\?xml [^<>?]*\?>/;
const token = new RegExp(
  `<(/)?((?:${name}:)?${name})((?:\\s+(?:${name}:)?${name}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/)?>|([^<]+)`,
  'y',
);
const attribute = new RegExp(`((?:${name}:)?${name})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'g');

/** Returns the root element. @throws Error if the text is invalid XML, outside the subset, or exceeds the limits. */
export function parseXml(text: string, limits: XmlLimits = unlimited): XmlElement {
  const budget = createBudget(limits);
  const document = createElement('', {});
  const open = [document];
  token.lastIndex = declaration.exec(text)?.[0].length ?? 0;
  while (token.lastIndex < text.length) {
    const [, closing, tag, attributes, empty, characters] = token.exec(text) ?? throwInvalidXml();
    const parent = open.at(-1) ?? throwInvalidXml();
    if (tag === undefined) appendText(parent, characters ?? '');
    else if (closing === undefined) {
      budget.spendElement(tag);
      const element = createElement(tag, readAttributes(attributes ?? '', budget));
      parent.children.push(element);
      if (empty === undefined) open.push(element);
      if (open.length > limits.depth) throwInvalidXml();
    } else if (parent.tag !== tag || attributes || empty || open.pop() === document) throwInvalidXml();
  }
  const [root, ...others] = document.children;
  if (open.length !== 1 || !root || others.length > 0 || document.text.trim() !== '') throwInvalidXml();
  return root as XmlElement;
}

export function* walkElements(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* walkElements(child);
}

export function childrenOf(element: XmlElement | undefined, elementName: string): XmlElement[] {
  return element?.children.filter((child) => child.name === elementName) ?? [];
}

/** Returns the child with this name if there is exactly one. */
export function onlyChild(element: XmlElement | undefined, elementName: string): XmlElement | undefined {
  const [child, ...others] = childrenOf(element, elementName);
  return others.length === 0 ? child : undefined;
}

function createElement(tag: string, attributes: Readonly<Record<string, string>>): OpenElement {
  return { tag, name: localName(tag), attributes, children: [], text: '' };
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function appendText(parent: OpenElement, characters: string): void {
  parent.text += decodeEntities(characters);
}

function readAttributes(text: string, budget: Budget): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null);
  const own = budget.ofOneElement();
  for (const [, tag = '', quoted, single] of text.matchAll(attribute)) {
    const value = quoted ?? single ?? '';
    if (tag === 'xmlns' || tag.startsWith('xmlns:')) {
      own.spendDeclaration(value);
      continue;
    }
    own.spendAttribute();
    if (localName(tag) in attributes) throwInvalidXml();
    attributes[localName(tag)] = decodeEntities(value);
  }
  return attributes;
}

interface Budget {
  spendElement(tag: string): void;
  ofOneElement(): { spendAttribute(): void; spendDeclaration(namespace: string): void };
}

/** Tracks the remaining limits while a document is parsed. */
function createBudget(limits: XmlLimits): Budget {
  const names = new Set<string>();
  let { elements, attributes, declarations } = limits;
  return {
    spendElement(tag) {
      elements -= 1;
      names.add(tag);
      if (elements < 0 || names.size > limits.names) throwInvalidXml();
    },
    ofOneElement() {
      let { attributesEach, declarationsEach } = limits;
      return {
        spendAttribute() {
          attributes -= 1;
          attributesEach -= 1;
          if (attributes < 0 || attributesEach < 0) throwInvalidXml();
        },
        spendDeclaration(namespace) {
          declarations -= 1;
          declarationsEach -= 1;
          if (declarations < 0 || declarationsEach < 0 || namespace.length > limits.namespaceLength) throwInvalidXml();
        },
      };
    },
  };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]+));|&/g, (_, hexadecimal, decimal, entity) => {
    if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return entities[entity] ?? throwInvalidXml();
  });
}

function throwInvalidXml(): never {
  throw new Error('the text is not in the supported XML subset');
}
