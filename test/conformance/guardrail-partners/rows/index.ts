import type { Row } from '../row.ts';
import { CLOUDS } from './clouds.ts';
import { CONVERSATIONS } from './conversations.ts';
import { JUDGES } from './judges.ts';
import { REDACTORS } from './redactors.ts';
import { SCANNERS } from './scanners.ts';
import { SEARCHES } from './searches.ts';

export const ROWS: readonly Row[] = [...CLOUDS, ...CONVERSATIONS, ...JUDGES, ...REDACTORS, ...SCANNERS, ...SEARCHES];
