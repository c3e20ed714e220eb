/** Measures text in terminal columns. */

export interface TextMetrics {
  /** The number of terminal columns of a text. */
  width(text: string): number;
  /** Splits a text where it can be truncated: between grapheme clusters. */
  split(text: string): Iterable<string>;
}

const beyondLatin1 = /[^\u0020-\u00ff]/;

const latin1Metrics: TextMetrics = { width: (text) => text.length, split: (text) => text };

/** Returns the metrics for some texts. Only text beyond Latin-1 loads string-width, which takes 20 ms. */
export async function loadTextMetrics(texts: Iterable<string>): Promise<TextMetrics> {
  for (const text of texts) if (beyondLatin1.test(text)) return loadUnicodeMetrics();
  return latin1Metrics;
}

async function loadUnicodeMetrics(): Promise<TextMetrics> {
  const { unicodeMetrics } = await import('./unicode-metrics.ts');
  const metricsOf = (text: string): TextMetrics => (beyondLatin1.test(text) ? unicodeMetrics : latin1Metrics);
  return { width: (text) => metricsOf(text).width(text), split: (text) => metricsOf(text).split(text) };
}
