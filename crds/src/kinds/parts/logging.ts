/** What the request log keeps beside rows; docs/behaviour/request-logs.md#documents. */
import { z } from 'zod';
import { flag, int } from '../../schema/index.ts';

const bodies = (description: string) => z.enum(['All', 'FailedOnly', 'None']).meta({ description }).optional();

const MEANING =
  'All keeps headers and bodies, FailedOnly those of answers that failed and nothing of what was asked, None none of them.';

/** A hundred years, as for fleets. */
const MAX_DAYS = 36_500;

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
    retentionDays: int(
      'retentionDays is how long rows and documents of the request log are kept, in days, whatever gateways are set to; absent: as long as those say.',
      1,
      MAX_DAYS,
    ).optional(),
  })
  .meta({ description: 'logging says what the request log keeps.' });
