/** What the request log keeps beside rows; docs/behaviour/request-logs.md#documents. */
import { z } from 'zod';
import { flag } from '../../schema/index.ts';

const bodies = (description: string) => z.enum(['All', 'FailedOnly', 'None']).meta({ description }).optional();

const MEANING =
  'All keeps headers and bodies, FailedOnly those of answers that failed and nothing of what was asked, None none of them.';

export const workspaceLogging = z
  .strictObject({
    bodies: bodies(
      `bodies are the headers and bodies that the request log keeps of requests of the workspace: ${MEANING} Absent: that of the Organisation.`,
    ),
  })
  .meta({ description: 'logging says what the request log keeps of the workspace.' });

export const organisationLogging = z
  .strictObject({
    bodies: bodies(
      `bodies are the headers and bodies that the request log keeps, for workspaces that do not say it: ${MEANING} Default All.`,
    ),
    enforced: flag('enforced lets neither workspaces nor requests say otherwise than bodies.', false),
  })
  .meta({ description: 'logging says what the request log keeps.' });
