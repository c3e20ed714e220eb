/** Switches between the light and the dark colour scheme. The browser keeps the choice. */
import { Button, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';

export function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme('light');
  const next = current === 'light' ? 'dark' : 'light';
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => setColorScheme(next)}
      aria-label={`Use the ${next} colours`}
    >
      {next === 'dark' ? 'Dark' : 'Light'}
    </Button>
  );
}
