/** Measures text beyond Latin-1 with string-width. Loaded only for such text. */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** The text metrics of any Unicode text. */
export const unicodeMetrics = {
  width: (text: string): number => stringWidth(text),
  split: (text: string): string[] => Array.from(segmenter.segment(text), ({ segment }) => segment),
};
