/** Checks that call addresses of their parameters or of the texts. */
import type { CheckDefinition } from '../../contract.ts';
import { inlineImageUrls } from './inline-image-urls.ts';
import { log } from './log.ts';
import { validUrls } from './valid-urls.ts';
import { webhook } from './webhook.ts';

export const OUTBOUND_CHECKS: readonly CheckDefinition[] = [webhook, log, validUrls, inlineImageUrls];
