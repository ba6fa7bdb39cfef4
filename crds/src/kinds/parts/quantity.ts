import { z } from 'zod';
import { pattern } from '../../schema/index.ts';

const QUANTITY = /^[0-9]+(\.[0-9]{1,6})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$/;

/** An amount of a resource, as text or as a number. */
export const requiredQuantity = (description: string) =>
  z
    .union([z.int().min(0).max(Number.MAX_SAFE_INTEGER), pattern(QUANTITY, 'a quantity', 32)], {
      error: 'expected a quantity like 500m, 1 or 256Mi',
    })
    .meta({ description });
