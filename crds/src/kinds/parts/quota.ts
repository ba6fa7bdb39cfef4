/** Bounds on the resources of one workspace, so that no workspace exhausts the shared control plane. */
import { z } from 'zod';
import { int } from '../../schema/index.ts';

export interface Quota {
  readonly objects: number;
  readonly bytes: number;
  readonly translationUnits: number;
  readonly gatewayFleets: number;
  readonly sidecarProfiles: number;
}

/** The defaults: several times what large teams have. */
export const DEFAULT_QUOTA: Quota = {
  objects: 20_000,
  bytes: 32 * 1024 * 1024,
  translationUnits: 10_000_000,
  gatewayFleets: 8,
  sidecarProfiles: 50,
};

export const quota = (description: string) =>
  z
    .strictObject({
      objects: int('objects is the number of resources of all kinds.', 1, 10_000_000).optional(),
      bytes: int(
        'bytes is the size of all resources as JSON without status, plus 512 for each.',
        1_024,
        1_099_511_627_776,
      ).optional(),
      translationUnits: int(
        'translationUnits is the cost of translating all resources: one for each value in them, and one for each step of the compiled program of a pattern.',
        1_000,
        1_000_000_000_000,
      ).optional(),
      gatewayFleets: int('gatewayFleets is the number of GatewayFleets.', 0, 1_000).optional(),
      sidecarProfiles: int('sidecarProfiles is the number of SidecarProfiles.', 0, 1_000).optional(),
    })
    .meta({ description });
