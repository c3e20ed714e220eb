/** Switches between the light and the dark color scheme. The browser keeps the choice. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { Icon } from '../icon.tsx';

export function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme('light');
  const next = current === 'light' ? 'dark' : 'light';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={32}
      onClick={() => setColorScheme(next)}
      aria-label={`Use the ${next} colors`}
    >
      <Icon name={next === 'dark' ? 'moon' : 'sun'} />
    </ActionIcon>
  );
}
