/** Links of the pages as files of the repository, made links of the site. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { toPagePath } from './sidebar.mjs';

const isLocal = (href) => !/^[a-z]+:|^#|^$/i.test(href);

/**
 * A plugin of markdown-it. A link to another page leads to its path in the site. A link to a file that is not a page, such
 * as an example, becomes its text, since the site does not contain it. A link to nothing stays as it is, and fails the build.
 * @param {import('markdown-it').default} markdown
 * @param {string} root the folder of the repository
 */
export function rewriteLinks(markdown, root) {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = path.dirname(env.realPath ?? env.path);
    for (const { children } of tokens) for (const link of findLinks(children ?? [])) rewrite(link, folder, root);
  });
}

/** The opening and closing tokens of each link to a file. */
function findLinks(tokens) {
  return tokens.flatMap((open, at) => {
    if (open.type !== 'link_open' || !isLocal(open.attrGet('href') ?? '')) return [];
    return [{ open, close: tokens.find((later, index) => index > at && later.type === 'link_close') }];
  });
}

function rewrite({ open, close }, folder, root) {
  const [file, anchor] = open.attrGet('href').split('#');
  const target = path.resolve(folder, file);
  if (!existsSync(target)) return;
  if (target.endsWith('.md')) {
    const page = toPagePath(path.relative(root, target).replaceAll(path.sep, '/'));
    open.attrSet('href', anchor === undefined ? page : `${page}#${anchor}`);
  } else for (const token of [open, close]) Object.assign(token, { type: 'text', tag: '', content: '' });
}
