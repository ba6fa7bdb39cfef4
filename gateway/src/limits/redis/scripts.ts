/**
 * What Redis runs. A counter is a hash: `s` start of its window in Unix ms, `n` units taken, those held by estimates included,
 * `x` the earliest end of a lease, `g` the number of the last lease, and `l:PROCESS` the lease of a process on the counter as
 * "units:end:number". A lease that has ended is returned by the next script that looks at the counter. Numbers of Lua are
 * doubles: exact up to 2^53 - 1, where counts stop.
 */
import { defineScript, type RedisScript } from '../../store/index.ts';

/** ARGV[1] is the time in ms, or empty for the clock of Redis; ARGV[2] the process. A window never moves back, as clocks may. */
const PRELUDE = `
local MOST = 9007199254740991
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local own = 'l:' .. ARGV[2]
local function whole(number) return string.format('%.0f', number) end
local function parse(lease)
  local units, ends, number = string.match(lease, '^(%d+):(%d+):(%d+)$')
  return tonumber(units) or 0, tonumber(ends) or 0, tonumber(number) or 0
end
local function sweep(c)
  local all, earliest, ended = redis.call('HGETALL', c.key), false, {}
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 2) == 'l:' then
      local units, ends = parse(all[i + 1])
      if ends <= now then
        c.n = math.max(0, c.n - units)
        ended[#ended + 1] = all[i]
        if all[i] == own then c.units, c.number = 0, 0 end
      elseif not earliest or ends < earliest then
        earliest = ends
      end
    end
  end
  c.x = earliest
  redis.call('HSET', c.key, 'n', whole(c.n), 'x', earliest and whole(earliest) or '')
  if #ended > 0 then redis.call('HDEL', c.key, unpack(ended)) end
end
local function load(key, size)
  local found = redis.call('HMGET', key, 's', 'n', 'x', 'g', own)
  local c = { key = key, size = size, s = now - now % size, n = 0, g = 0, units = 0, ends = 0, number = 0, take = 0 }
  local s = tonumber(found[1])
  if not s or s < c.s or s > c.s + size then
    c.fresh = true
    return c
  end
  c.s, c.n, c.x, c.g = s, tonumber(found[2]) or 0, tonumber(found[3]), tonumber(found[4]) or 0
  if found[5] then c.units, c.ends, c.number = parse(found[5]) end
  if c.x and c.x <= now then sweep(c) end
  return c
end
local function store(c)
  c.n = math.max(0, math.min(MOST, c.n))
  if c.fresh then redis.call('DEL', c.key) end
  if c.leased then
    local lease = whole(c.units) .. ':' .. whole(c.ends) .. ':' .. whole(c.number)
    redis.call('HSET', c.key, 's', whole(c.s), 'n', whole(c.n), own, lease, 'x', c.x and whole(c.x) or '', 'g', whole(c.g))
  else
    redis.call('HSET', c.key, 's', whole(c.s), 'n', whole(c.n))
  end
  if c.fresh then redis.call('PEXPIRE', c.key, whole(3 * c.size)) end
end
`;

const script = (lua: string): RedisScript => defineScript(`${PRELUDE}${lua}`);

/** Arguments of COUNT before those of counters, settlements and groups. */
export const COUNT_HEAD = 4;
/** Arguments of one settlement. */
export const SETTLEMENT_ARGS = 6;

/**
 * Settles, then takes. KEYS: the counters. ARGV[3] length of a lease in ms, ARGV[4] the number of settlements, then the length of
 * the window of each counter in ms. Then the settlements, sums over requests: number of the counter, start of the window of their
 * reservation, number of its lease or 0, units taken, units used, and units that each used above what it had taken. A lease that
 * is gone has returned its units already: what was used counts in full.
 *
 * Then groups of equal requests, each of which takes all its demands or none: how many requests and how many demands there are,
 * and per demand the number of its counter, limit, cost, and 0 for room only, 1 for a cost, 2 for an estimate.
 *
 * Reply: the time; per counter the start of its window, the units in it, and the number of the lease of the process or 0; per
 * group how many requests were granted, and the first demand that had no room for a further one or 0.
 */
export const COUNT = script(`
local counters, at = {}, ${COUNT_HEAD}
for k = 1, #KEYS do
  at = at + 1
  counters[k] = load(KEYS[k], tonumber(ARGV[at]))
end
for _ = 1, tonumber(ARGV[4]) do
  local c, start, number = counters[tonumber(ARGV[at + 1])], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local taken, used, over = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  at = at + ${SETTLEMENT_ARGS}
  local before = c.n
  if c.s ~= start then
    c.n = c.n + over
  elseif c.fresh then
    c.n = c.n + used
  elseif number == 0 then
    c.n = c.n + used - taken
  elseif c.number == number then
    c.n = c.n + used - taken
    c.units, c.leased = math.max(0, c.units - taken), true
  else
    c.n = c.n + used
  end
  c.n = math.max(0, math.min(MOST, c.n))
  if c.n ~= before or c.leased then c.changed = true end
end
local groups = {}
while at < #ARGV do
  local most, demands, denied = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), 0
  local first, last = at + 3, at + 2 + 4 * demands
  at = last
  for d = first, last, 4 do
    local c, mode = counters[tonumber(ARGV[d])], ARGV[d + 3]
    if mode ~= '0' then c.take = math.max(c.take, tonumber(ARGV[d + 2])) end
    if mode == '2' then c.held = true end
  end
  for d = first, last, 4 do
    local c = counters[tonumber(ARGV[d])]
    local room, fits = tonumber(ARGV[d + 1]) - c.n - tonumber(ARGV[d + 2]), 0
    if room >= 0 then
      fits = c.take == 0 and most or 1 + (room - math.fmod(room, c.take)) / c.take
    end
    if fits < most then most, denied = fits, (d - first) / 4 + 1 end
  end
  for d = first, last, 4 do
    local c = counters[tonumber(ARGV[d])]
    if most > 0 and c.take > 0 then
      local units = most * c.take
      c.n, c.changed = c.n + units, true
      if c.held then
        if c.number == 0 then
          c.g, c.units = c.g + 1, 0
          c.number = c.g
        end
        c.units, c.ends, c.leased = c.units + units, now + tonumber(ARGV[3]), true
        if not c.x or c.ends < c.x then c.x = c.ends end
      end
    end
    c.take, c.held = 0, false
  end
  groups[#groups + 1] = most
  groups[#groups + 1] = denied
end
local reply = { now }
for k = 1, #KEYS do
  local c = counters[k]
  if c.changed then store(c) end
  reply[#reply + 1] = c.s
  reply[#reply + 1] = whole(c.n)
  reply[#reply + 1] = c.number
end
for _, value in ipairs(groups) do reply[#reply + 1] = value end
return reply
`);

/** Extends the leases of the process on the counters. ARGV[3] length of a lease in ms. */
export const RENEW = script(`
for k = 1, #KEYS do
  local lease = redis.call('HGET', KEYS[k], own)
  if lease then
    local units, _, number = parse(lease)
    redis.call('HSET', KEYS[k], own, whole(units) .. ':' .. whole(now + tonumber(ARGV[3])) .. ':' .. whole(number))
  end
end
return 0
`);

/**
 * Adds units that were counted elsewhere, once: KEYS[1] remembers that it was done. From ARGV[3] per further key: length of
 * the window in ms, its start, and the units, which may be negative. A window that has ended is left out.
 */
export const ADD = script(`
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', 600000) then return 0 end
for k = 2, #KEYS do
  local at = 3 * k - 3
  local c = load(KEYS[k], tonumber(ARGV[at]))
  if c.s == tonumber(ARGV[at + 1]) then
    c.n = c.n + tonumber(ARGV[at + 2])
    store(c)
  end
end
return 1
`);

/** All of them. */
export const LIMIT_SCRIPTS: readonly RedisScript[] = [COUNT, RENEW, ADD];
