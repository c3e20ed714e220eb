/** Saves a document as a file of the browser's user. */
export function downloadJson(name: string, document: unknown): void {
  const url = URL.createObjectURL(
    new Blob([`${JSON.stringify(document, undefined, 2)}\n`], { type: 'application/json' }),
  );
  const link = window.document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
