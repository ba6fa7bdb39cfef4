/** The cluster of the scenarios: two nodes with every image, a volume, and nothing installed. */
import { type ControlPlane, type Nodes, startControlPlane, startNodes } from '../../cluster/index.ts';
import { buildImages } from './images.ts';
import { offerVolume } from './volume.ts';

export interface World extends AsyncDisposable {
  readonly controlPlane: ControlPlane;
  readonly nodes: Nodes;
}

export async function startWorld(): Promise<World> {
  const onProgress = (line: string): void => console.log(line);
  await using starting = new AsyncDisposableStack();
  const controlPlane = starting.use(await startControlPlane({ forNodes: true, onProgress }));
  const nodes = await startNodes(controlPlane, { nodes: 2, onProgress });
  await offerVolume(controlPlane, nodes);
  await using images = await buildImages();
  for (const archive of images.archives) await nodes.importImage(archive);
  const started = starting.move();
  return { controlPlane, nodes, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
