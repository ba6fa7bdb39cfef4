/** Checks that recognise things by themselves, without a service. */
import type { CheckDefinition } from '../../contract.ts';
import { pii } from './pii/index.ts';
import { promptInjection } from './prompt-injection/index.ts';

export const LOCAL_CHECKS: readonly CheckDefinition[] = [pii, promptInjection];
