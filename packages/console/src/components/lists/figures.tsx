/** A few numbers that sum up a page, each below its name. */
import type { ReactNode } from 'react';

export interface Figure {
  readonly name: string;
  readonly value: ReactNode;
  /** What it is a part of, or how it came about. */
  readonly detail?: ReactNode;
  /** The part of a whole, from 0 to 1. */
  readonly share?: number;
}

export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ name, value, detail, share }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} <small>{detail}</small>
          </dd>
          {share === undefined ? undefined : <meter value={share} aria-hidden />}
        </div>
      ))}
    </dl>
  );
}
