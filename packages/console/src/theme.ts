/** The look of the console: one scale of text, a grid of 4 pixels, one accent. Other colors mean a state. */
import {
  Alert,
  Badge,
  Button,
  Code,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  List,
  type MantineColor,
  type MantineColorsTuple,
  Menu,
  Modal,
  MultiSelect,
  Popover,
  Select,
  Table,
  Tooltip,
} from '@mantine/core';

const accent: MantineColorsTuple = [
  '#f0f2ff',
  '#e0e5ff',
  '#c6cffd',
  '#a9b6fb',
  '#94a3f8',
  '#7689f3',
  '#6477ec',
  '#5669e6',
  '#4a5cdb',
  '#3c4bbd',
];

const gray: MantineColorsTuple = [
  '#f8f9fb',
  '#f2f4f7',
  '#e9ecf0',
  '#e0e4e9',
  '#d3d8df',
  '#a7aeba',
  '#6f7785',
  '#565e6c',
  '#363c47',
  '#1c2027',
];

/** 7 is the page, 6 what lies on it; the bar, the menu and tables are between them: `--surface` in console.css. */
const dark: MantineColorsTuple = [
  '#e6e8ec',
  '#a6adb9',
  '#8b92a0',
  '#747b89',
  '#31363f',
  '#272b33',
  '#1e2128',
  '#101216',
  '#0c0e11',
  '#08090b',
];

/** Tinted: a text of the color on a trace of it, with enough contrast for WCAG 2.2 AA in both color schemes. */
function tintOf(color: MantineColor = 'gray') {
  const shade = (light: number, dark: number) =>
    `light-dark(var(--mantine-color-${color}-${light}), var(--mantine-color-${color}-${dark}))`;
  return {
    text:
      color === 'gray'
        ? 'light-dark(var(--mantine-color-gray-8), var(--mantine-color-dark-0))'
        : `color-mix(in srgb, ${shade(9, 3)} 65%, var(--mantine-color-text))`,
    background:
      color === 'gray'
        ? 'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-5))'
        : `color-mix(in srgb, ${shade(5, 6)} 14%, transparent)`,
    mark: color === 'gray' ? 'var(--mantine-color-default-border)' : shade(7, 6),
  };
}

const presentation = { attributes: { header: { role: 'presentation' } } } as const;

/** The shades have enough contrast for WCAG 2.2 AA in both color schemes. */
export const theme = createTheme({
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '0.875rem', xl: '1.25rem' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.45', xl: '1.3' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '4px', sm: '6px', md: '6px', lg: '6px', xl: '6px' },
  defaultRadius: 'sm',
  breakpoints: { xs: '30em', sm: '40em', md: '60em', lg: '75em', xl: '88em' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1.25rem', lineHeight: '1.4' },
      h3: { fontSize: '1.25rem', lineHeight: '1.4' },
      h4: { fontSize: '0.875rem', lineHeight: '1.45' },
      h5: { fontSize: '0.875rem', lineHeight: '1.45' },
      h6: { fontSize: '0.8125rem', lineHeight: '1.45' },
    },
  },
  colors: { accent, gray, dark },
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 8 },
  black: '#1c2027',
  autoContrast: true,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // The color of a state is its edge: no whole panel has it.
    Alert: Alert.extend({
      defaultProps: { variant: 'default' },
      vars: (_theme, { color }) => ({
        root: {
          '--alert-color': 'var(--mantine-color-text)',
          '--alert-bg': 'var(--surface)',
          '--alert-bd': '1px solid var(--mantine-color-default-border)',
          '--alert-mark': tintOf(color).mark,
        },
      }),
    }),
    // Success has no color: what differs from it is what is seen.
    Badge: Badge.extend({
      vars: (_theme, { color }) => {
        const isSuccess = color === 'green';
        const { text, background } = tintOf(color);
        return {
          root: {
            '--badge-color': isSuccess ? 'var(--mantine-color-dimmed)' : text,
            '--badge-bg': isSuccess ? 'none' : background,
            '--badge-bd': 'none',
            '--badge-weight': isSuccess || color === 'gray' ? '400' : '600',
          },
          dot: {},
        };
      },
    }),
    // Mantine sets its attribute only where it is given: the weight depends on it.
    Button: Button.extend({ defaultProps: { size: 'sm', variant: 'filled' } }),
    Code: Code.extend({ defaultProps: { color: 'var(--code-background)' } }),
    // The page has one header: those of dialogs are no landmarks.
    Drawer: Drawer.extend({ defaultProps: presentation }),
    Modal: Modal.extend({ defaultProps: { ...presentation, size: 480 } }),
    List: List.extend({ defaultProps: { spacing: 4 } }),
    // A dialog focuses its first field: a list over the others would hide them.
    MultiSelect: MultiSelect.extend({ defaultProps: { openOnFocus: false } }),
    Select: Select.extend({ defaultProps: { openOnFocus: false } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md' } }),
    Popover: Popover.extend({ defaultProps: { shadow: 'md' } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: 5, horizontalSpacing: 'sm' } }),
    Tooltip: Tooltip.extend({ defaultProps: { fz: 'xs' } }),
  },
});

/** Of Mantine's own variables, those with too little contrast for small text. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-6)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--mantine-color-red-outline': 'var(--mantine-color-red-9)',
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-2)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
