// What a reader would write in an afternoon: one loop for each kind of window, typed arrays in and
// out, a Map of keys for each window, and nothing allocated for a record but what its key needs.
// Lateness is 0, so a window goes when it fires. Records that are dropped, on time, and behind the
// watermark are told apart in the same bytes as those of a run.

const DROPPED = 2;
const PARTLY = 4;
const BEHIND = 8;

/** Writes the firing of a window's keys in order of the key, and returns how many there are now. */
function fire(keys, start, end, watermark, record, out, length) {
  const order = Uint32Array.from(keys.keys()).sort();
  for (const key of order) {
    const held = keys.get(key);
    length = put(out, length, key, start, end, held, watermark, record);
  }
  return length;
}

function put(out, at, key, start, end, held, watermark, record) {
  out.key[at] = key;
  out.start[at] = start;
  out.end[at] = end;
  out.count[at] = held.count;
  out.sum[at] = held.sum;
  out.nth[at] = 1;
  out.watermark[at] = watermark;
  out.record[at] = record;
  return at + 1;
}

function add(keys, key, value) {
  const held = keys.get(key);
  if (held === undefined) {
    keys.set(key, { count: 1, sum: value });
  } else {
    held.count += 1;
    held.sum += value;
  }
}

export function tumbling({ time, key, value }, { size }, lag, outcomes, out) {
  const windows = new Map();
  let [start, end, keys] = [NaN, NaN, null];
  let [max, watermark, due, length] = [-Infinity, -Infinity, Infinity, 0];
  const fireDue = (record) => {
    const ready = [...windows.keys()].filter((it) => it + size - 1 <= watermark).sort((a, b) => a - b);
    for (const it of ready) {
      length = fire(windows.get(it), it, it + size, watermark, record, out, length);
      windows.delete(it);
    }
    due = Math.min(Infinity, ...[...windows.keys()].map((it) => it + size - 1));
    [start, end, keys] = [NaN, NaN, null];
  };
  for (let n = 0; n < time.length; n += 1) {
    const t = time[n];
    const behind = t <= watermark ? BEHIND : 0;
    if (!(t >= start && t < end)) {
      start = Math.floor(t / size) * size;
      end = start + size;
      keys = windows.get(start);
      if (keys === undefined && end - 1 > watermark) {
        keys = new Map();
        windows.set(start, keys);
        due = Math.min(due, end - 1);
      }
    }
    if (keys === undefined || keys === null) {
      outcomes[n] = DROPPED | behind;
      [start, end] = [NaN, NaN];
    } else {
      outcomes[n] = behind;
      add(keys, key[n], value[n]);
    }
    if (t > max) {
      max = t;
      watermark = max - lag;
      if (watermark >= due) fireDue(n);
    }
  }
  watermark = Infinity;
  fireDue(time.length);
  return length;
}

export function sliding({ time, key, value }, { size, slide }, lag, outcomes, out) {
  const windows = new Map();
  let [max, watermark, due, length] = [-Infinity, -Infinity, Infinity, 0];
  const fireDue = (record) => {
    const ready = [...windows.keys()].filter((it) => it + size - 1 <= watermark).sort((a, b) => a - b);
    for (const it of ready) {
      length = fire(windows.get(it), it, it + size, watermark, record, out, length);
      windows.delete(it);
    }
    due = Math.min(Infinity, ...[...windows.keys()].map((it) => it + size - 1));
  };
  for (let n = 0; n < time.length; n += 1) {
    const t = time[n];
    const behind = t <= watermark ? BEHIND : 0;
    let [taken, skipped] = [0, 0];
    for (let start = Math.floor(t / slide) * slide; start > t - size; start -= slide) {
      if (start + size - 1 <= watermark) {
        skipped += 1;
        continue;
      }
      let keys = windows.get(start);
      if (keys === undefined) {
        keys = new Map();
        windows.set(start, keys);
        due = Math.min(due, start + size - 1);
      }
      add(keys, key[n], value[n]);
      taken += 1;
    }
    if (taken === 0) outcomes[n] = DROPPED | behind;
    else outcomes[n] = (skipped > 0 ? PARTLY : 0) | behind;
    if (t > max) {
      max = t;
      watermark = max - lag;
      if (watermark >= due) fireDue(n);
    }
  }
  watermark = Infinity;
  fireDue(time.length);
  return length;
}

/** A binary heap of a time and a key for each timer, in typed arrays. */
class Timers {
  times = new Float64Array(1024);
  keys = new Uint32Array(1024);
  length = 0;

  isBefore(a, b) {
    return this.times[a] < this.times[b] || (this.times[a] === this.times[b] && this.keys[a] < this.keys[b]);
  }

  swap(a, b) {
    const [time, key] = [this.times[a], this.keys[a]];
    this.times[a] = this.times[b];
    this.keys[a] = this.keys[b];
    this.times[b] = time;
    this.keys[b] = key;
  }

  add(time, key) {
    if (this.length === this.times.length) {
      const [times, keys] = [this.times, this.keys];
      this.times = new Float64Array(this.length * 2);
      this.keys = new Uint32Array(this.length * 2);
      this.times.set(times);
      this.keys.set(keys);
    }
    let at = this.length;
    this.times[at] = time;
    this.keys[at] = key;
    this.length += 1;
    while (at > 0 && this.isBefore(at, (at - 1) >> 1)) {
      this.swap(at, (at - 1) >> 1);
      at = (at - 1) >> 1;
    }
  }

  /** Takes the first away. */
  drop() {
    this.length -= 1;
    this.swap(0, this.length);
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= this.length) return;
      if (child + 1 < this.length && this.isBefore(child + 1, child)) child += 1;
      if (!this.isBefore(child, at)) return;
      this.swap(at, child);
      at = child;
    }
  }

  due() {
    return this.length === 0 ? Infinity : this.times[0];
  }
}

export function session({ time, key, value }, { gap }, lag, outcomes, out) {
  /** The open sessions of each key, in order of time. */
  const open = new Map();
  const timers = new Timers();
  let [max, watermark, length] = [-Infinity, -Infinity, 0];
  const fireDue = (record) => {
    while (timers.due() <= watermark && timers.length > 0) {
      const [at, k] = [timers.times[0], timers.keys[0]];
      timers.drop();
      const sessions = open.get(k);
      const place = sessions.findIndex((it) => it.timer === at);
      if (place < 0) continue;
      const held = sessions[place];
      if (held.end - 1 > at) {
        // It grew since the timer was set.
        held.timer = held.end - 1;
        timers.add(held.timer, k);
      } else {
        length = put(out, length, k, held.start, held.end, held, watermark, record);
        sessions.splice(place, 1);
      }
    }
  };
  for (let n = 0; n < time.length; n += 1) {
    const t = time[n];
    const k = key[n];
    const behind = t <= watermark ? BEHIND : 0;
    outcomes[n] = behind;
    let sessions = open.get(k);
    if (sessions === undefined) {
      sessions = [];
      open.set(k, sessions);
    }
    const last = sessions[sessions.length - 1];
    if (last !== undefined && t >= last.start && t <= last.end) {
      last.end = Math.max(last.end, t + gap);
      last.count += 1;
      last.sum += value[n];
    } else {
      let from = 0;
      while (from < sessions.length && sessions[from].end < t) from += 1;
      let to = from;
      while (to < sessions.length && sessions[to].start <= t + gap) to += 1;
      if (from === to && t + gap - 1 <= watermark) {
        outcomes[n] = DROPPED | behind;
      } else {
        const merged = { start: t, end: t + gap, count: 1, sum: value[n], timer: NaN };
        for (let at = from; at < to; at += 1) {
          const other = sessions[at];
          merged.start = Math.min(merged.start, other.start);
          merged.end = Math.max(merged.end, other.end);
          merged.count += other.count;
          merged.sum += other.sum;
        }
        merged.timer = merged.end - 1;
        timers.add(merged.timer, k);
        sessions.splice(from, to - from, merged);
      }
    }
    if (t > max) {
      max = t;
      watermark = max - lag;
      if (watermark >= timers.due()) fireDue(n);
    }
  }
  watermark = Infinity;
  fireDue(time.length);
  return length;
}
