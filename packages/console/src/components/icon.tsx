/** The icons of the console: 16 pixels, lines in the color of the text. They repeat a text or a label, so they have no name. */

const circle = (x: number, y: number, r: number) =>
  `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

const paths = {
  'api-keys': `${circle(10.5, 5.5, 3)}M8.3 7.7l-5.8 5.8M4 12l1.5 1.5M6 10l1.5 1.5`,
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2',
  book: 'M8 4.5C7 3.5 5.3 3 2.5 3v9.5c2.8 0 4.5.5 5.5 1.5 1-1 2.7-1.5 5.5-1.5V3C10.7 3 9 3.5 8 4.5zM8 4.5V14',
  businesses: 'M3.5 13.5v-11h6v11M9.5 6.5h3v7M2 13.5h12M5.5 5.5h2M5.5 8h2M5.5 10.5h2',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  chevron: 'M4.5 6.5L8 10l3.5-3.5',
  'chevron-up': 'M4.5 9.5L8 6l3.5 3.5',
  clients: 'M2.5 3h11v10h-11zM2.5 6h11M4.5 4.5h.01M6.5 4.5h.01',
  clock: `${circle(8, 8, 5.5)}M8 5v3l2 1.5`,
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  'corporate-groups': 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  coverage: `${circle(8, 8, 5.5)}M5.5 8l1.8 1.8 3.2-3.4`,
  customers: `M2 3.5h12v9H2zM4 10.5c.2-1.2 1-1.7 2-1.7s1.8.5 2 1.7${circle(6, 6.6, 1)}M10 6.5h2M10 9.5h2`,
  delete: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9M6.7 7v4M9.3 7v4',
  external: 'M9 2.5h4.5V7M13.5 2.5L8 8M11.5 9.5v4h-9v-9h4',
  faults: 'M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  groups: `${circle(8, 3.75, 1.75)}${circle(3.75, 12.25, 1.75)}${circle(12.25, 12.25, 1.75)}M8 5.5V8M3.75 10.5V8h8.5v2.5`,
  help: `${circle(8, 8, 5.5)}M6.5 6.4c.1-1 .7-1.5 1.6-1.5.9 0 1.5.5 1.5 1.3 0 1.1-1.5 1.2-1.5 2.5M8.1 11h.01`,
  inbox: 'M2.5 9.5L4.2 3h7.6l1.7 6.5V13h-11zM2.5 9.5h3l1 1.5h3l1-1.5h3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  metrics: 'M3 13.5V9M8 13.5v-11M13 13.5V6',
  moon: 'M13 9.5A5.5 5.5 0 1 1 6.5 3 4.5 4.5 0 0 0 13 9.5z',
  more: `${circle(3.5, 8, 0.5)}${circle(8, 8, 0.5)}${circle(12.5, 8, 0.5)}`,
  overview: 'M2.5 7.5L8 3l5.5 4.5v6H9.8V10H6.2v3.5H2.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M4.5 3l8 5-8 5z',
  plus: 'M8 3v10M3 8h10',
  requests: 'M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13',
  reset: 'M2.8 3v3.5h3.5M3 6.5a5.2 5.2 0 1 1-.2 2.5',
  sandbox: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5L8 8l5.5-3M8 8v6',
  search: `${circle(7, 7, 4.5)}M10.3 10.3l3.2 3.2`,
  server: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  sessions: 'M2.5 3.5h11v7h-11zM5.5 13.5h5M8 10.5v3',
  settings: 'M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3',
  state: 'M8 6.5c3 0 5-.9 5-2s-2-2-5-2-5 .9-5 2 2 2 5 2zM3 4.5v7c0 1.1 2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2 2 5 2s5-.9 5-2',
  sun: `${circle(8, 8, 2.5)}M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1`,
  tokens:
    'M6 2.5c-2 0-2 1-2 2.5S4 7.5 2.5 8C4 8.5 4 9.5 4 11s0 2.5 2 2.5M10 2.5c2 0 2 1 2 2.5s0 2.5 1.5 3c-1.5.5-1.5 1.5-1.5 3s0 2.5-2 2.5',
  user: `${circle(8, 5, 2.75)}M2.5 14c.3-2.8 2.6-4.5 5.5-4.5s5.2 1.7 5.5 4.5`,
  users: `${circle(6, 5, 2.5)}M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12 9.8c1.5.5 2.5 1.8 2.5 3.7`,
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width={16} height={16} aria-hidden focusable={false}>
      <path d={paths[name]} />
    </svg>
  );
}
