/**
 * What the build puts in place of React's JSX runtime, in the console and in its packages: every text of a page passes
 * here, so hidden characters in names that others chose are shown by their code points, and domains of addresses in
 * Unicode.
 */
import * as react from 'react/jsx-runtime';
import { showEmails } from '../../../src/contract/email/email-address.ts';
import { markHidden } from '../../../src/contract/visible-names.ts';

type CreateElement = typeof react.jsx;

/** Properties that a page shows or a screen reader reads, beside the text of an element. */
const shownProperties = ['children', 'title', 'aria-label', 'placeholder', 'alt'] as const;

export const Fragment = react.Fragment;
export const jsx = withVisibleText(react.jsx);
export const jsxs = withVisibleText(react.jsxs);

function withVisibleText(create: CreateElement): CreateElement {
  return (type, props, key) => create(type, escapeProperties(props as Readonly<Record<string, unknown>>), key);
}

/** The same properties if there is nothing to escape. */
function escapeProperties(props: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  let escaped = props;
  for (const name of shownProperties) {
    const value = props[name];
    const text = escapeValue(value);
    if (text !== value) escaped = { ...escaped, [name]: text };
  }
  return escaped;
}

function escapeValue(value: unknown): unknown {
  if (typeof value === 'string') return markHidden(showEmails(value));
  if (!Array.isArray(value)) return value;
  const parts: unknown[] = value.map(escapeValue);
  return parts.some((part, at) => part !== value[at]) ? parts : value;
}
