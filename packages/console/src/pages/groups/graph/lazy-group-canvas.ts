/** The drawing of the graph, whose files are large. */
import { createLazyComponent } from '../../../components/lazy/lazy-component.tsx';

export const LazyGroupCanvas = createLazyComponent('The graph', () => import('./group-canvas.tsx'));
