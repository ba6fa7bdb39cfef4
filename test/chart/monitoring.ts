/** What the chart brings for Prometheus and Grafana, parsed. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

const file = (name: string): string => fileURLToPath(new URL(`../../charts/gatehouse/files/${name}`, import.meta.url));
export const ALERTS = file('alerts.yaml');
export const DASHBOARD = file('dashboard.json');

const rule = z.looseObject({ alert: z.string(), expr: z.string(), for: z.string() });
const ruleFile = z.looseObject({ groups: z.array(z.looseObject({ name: z.string(), rules: z.array(rule) })) });
/** The alert rules of the chart. */
export const rules = ruleFile.parse(parse(readFileSync(ALERTS, 'utf8'))).groups.flatMap((group) => group.rules);

const datasource = z.looseObject({ uid: z.string() }).optional();

/** The dashboard as Grafana exports and imports it: edit it there, and commit the export. */
export const dashboard = z
  .looseObject({
    templating: z.looseObject({
      list: z.array(z.looseObject({ name: z.string(), type: z.string(), query: z.string() })),
    }),
    panels: z.array(
      z.looseObject({
        id: z.number(),
        type: z.string(),
        title: z.string(),
        gridPos: z.looseObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        datasource,
        targets: z.array(z.looseObject({ expr: z.string(), datasource })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(DASHBOARD, 'utf8')));

export interface Query {
  readonly where: string;
  readonly expr: string;
}

/** Every query of alert rules, panels and variables. */
export const queries: readonly Query[] = [
  ...rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))),
  ...dashboard.templating.list
    .filter(({ type }) => type === 'query')
    .map(({ name, query }) => ({ where: `variable ${name}`, expr: query })),
];
