/** Rows of the request log, made by ClickHouse itself; its views make the roll-ups. */
import { clickHouseStatements, dayOf } from '@gatehouse/crds/logs';
import { DAY_MS, type GeneratedRows, WORKSPACES } from './generated.ts';

/** One statement for each day, so that each of them is short. */
export function clickHouseRows({ rows, days, end }: GeneratedRows): readonly string[] {
  const first = dayOf(end) - days * DAY_MS;
  return [
    ...clickHouseStatements(),
    ...Array.from({ length: days }, (_, day) => rowsOfDay(first + day * DAY_MS, Math.round(rows / days), day)),
  ];
}

const textOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

const rowsOfDay = (day: number, count: number, seed: number): string => `
  insert into gateway_logs.logs
  select generateUUIDv4(1), fromUnixTimestamp64Milli(toInt64(${day} + 86400000.0 * i / ${count}), 'UTC'),
    [${textOf(WORKSPACES)}][1 + i % 5], concat('trace-${seed}-', toString(i)),
    generateUUIDv4(2), null, null, null,
    concat('key/team/', toString(i % 40)), concat('Key ', toString(i % 40)), if(i % 3 = 0, concat('person-', toString(i % 100)), null),
    concat('user-', toString((i * 7919) % 5000)), 'production', 'unified', 'chatComplete', 'POST', '/v1/chat/completions',
    0, i % 20 != 0, [200, 200, 200, 200, 200, 200, 200, 200, 429, 500][1 + (i * 31) % 10], null,
    concat('provider-', toString(i % 5)), concat('account-', toString(i % 5)),
    concat('model-', toString(i % 5), '-', toString(intDiv(i, 5) % 3)), null,
    concat('config-', toString(intDiv(i, 7) % 10)), '1', 'fallback', 'config.targets[0]', if(i % 25 = 0, 1, 0),
    null, null, i % 2 = 0, ['HIT', 'MISS', 'MISS', 'MISS', 'MISS'][1 + intDiv(i, 3) % 5],
    if(i % 50 = 0, 1, 0),
    exp(3 + 5 * randCanonical()), 100, 200, 1, 500 + i % 1000, 100 + i % 300, 600 + i % 1300, 0, 0,
    1000000 + i % 5000000, false, false, false,
    map('team', concat('team-', toString(i % 30)), 'region', concat('region-', toString(i % 4))), '{"calls": 1}', 7, '0.1.0', 'none'
  from (select number as i from numbers(${count}))`;
