/**
 * Gatehouse on nodes with real pods, from the installation to its removal, in this order on one cluster. A
 * scenario has a file and a workspace of its own; all but the first need the installation.
 */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { nodesUnavailable } from '../cluster/index.ts';
import { printPodLogs } from './kit/diagnosis.ts';
import { inventory } from './kit/inventory.ts';
import { startWorld, type World } from './kit/world.ts';
import { brokenResources } from './scenarios/broken.ts';
import { edits } from './scenarios/edits.ts';
import { install } from './scenarios/install.ts';
import { outages } from './scenarios/outage.ts';
import { records } from './scenarios/records.ts';
import { removal } from './scenarios/removal.ts';
import { rollouts } from './scenarios/rollout.ts';
import { sidecars } from './scenarios/sidecar.ts';

const unavailable = nodesUnavailable();
if (unavailable !== undefined && process.env['CI'] === 'true') throw new Error(unavailable);

describe.skipIf(unavailable !== undefined)('Gatehouse on Kubernetes', () => {
  let world: World;
  let before: readonly string[];
  beforeAll(async () => {
    world = await startWorld();
    before = await inventory(world.controlPlane);
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') printPodLogs(world.controlPlane.folder);
  });
  afterAll(() => world[Symbol.asyncDispose]());
  const controlPlane = () => world.controlPlane;

  install(controlPlane);
  edits(controlPlane);
  brokenResources(controlPlane);
  rollouts(controlPlane);
  sidecars(controlPlane);
  outages(controlPlane);
  records(controlPlane);
  removal(controlPlane, () => before);
});
