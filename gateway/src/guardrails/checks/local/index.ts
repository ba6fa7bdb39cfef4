/** Checks that recognise things by themselves, without a service. */
import type { CheckDefinition } from '../../contract.ts';
import { pii } from './pii/index.ts';

export const LOCAL_CHECKS: readonly CheckDefinition[] = [pii];
