/** Reads links and headings of Markdown pages, for the tests that look for dead links. */

export interface Link {
  /** Relative to the folder of the page; empty for the page itself. */
  readonly file: string;
  /** Empty if the link names no heading. */
  readonly anchor: string;
}

/** Lists the links of a page, except those to other sites. */
export function listLinks(text: string): Link[] {
  return [...withoutCode(text).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)].map(
    ([, file = '', anchor = '']) => ({ file, anchor }),
  );
}

/** Lists the anchors of the headings of a page, as GitHub forms them. */
export function listAnchors(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}
