import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import { servicePrefix } from '../../src/contract/prefix.ts';
import { formatRoles } from '../../src/contract/roles.ts';
import { operations } from '../../src/server/operations/index.ts';
import { root } from '../conformance/source-files.ts';

const registry: readonly Operation<never>[] = Object.values(operations);
const typesFile = path.join(root, 'src/client/operation-types.ts');
/** A file of an editor in which each method is called; it exists in memory only. */
const editorFile = path.join(root, 'src/client/editor.ts');

const calls = registry.map(({ id }) => `iam.${id.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())};`);
const source = [
  "import type { IamOperations } from './operation-types.ts';",
  'declare const iam: IamOperations;',
  ...calls,
].join('\n');

const service = ts.createLanguageService({
  getCompilationSettings: () => ({ allowImportingTsExtensions: true, noEmit: true, strict: true, types: [] }),
  getScriptFileNames: () => [editorFile],
  getScriptVersion: () => '1',
  getScriptSnapshot: (file) => {
    const text = file === editorFile ? source : ts.sys.readFile(file);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (file) => file === editorFile || ts.sys.fileExists(file),
  readFile: ts.sys.readFile,
});

/** What an editor shows for the method of a call. */
function hover(call: string): { readonly documentation: string; readonly deprecated: boolean } {
  const info = service.getQuickInfoAtPosition(editorFile, source.indexOf(`\n${call}`) + call.length - 1);
  const documentation = (info?.documentation ?? []).map(({ text }) => text).join('');
  return { documentation, deprecated: info?.tags?.some(({ name }) => name === 'deprecated') === true };
}

/** Text without line breaks, which the generated comments have at other places. */
function unwrap(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

test('the types of the client are found', () => {
  expect(ts.sys.fileExists(typesFile)).toBe(true);
  expect(service.getSemanticDiagnostics(editorFile)).toEqual([]);
});

test.each(registry.map((operation, at) => ({ ...operation, call: calls[at] ?? '' })))(
  'hovering $call shows title, description, path and roles',
  ({ title, description, method, path: at, roles, deprecated, call }) => {
    const shown = hover(call);
    expect(unwrap(shown.documentation)).toBe(
      unwrap(`${title}. ${description} \`${method} ${servicePrefix}${at}\` Required roles: ${formatRoles(roles)}.`),
    );
    expect(shown.deprecated).toBe(deprecated === true);
  },
);
