// The time of a project: that of now, or one that runs ahead until it has caught up, for a past of weeks within seconds.

const day = 86_400_000;

// now is the clock of everybody.
export const real = { env: {}, now: () => new Date(), wait: async () => {}, until: async () => {} };

// past returns a clock that is days behind, and catches up within seconds. Services with its environment have the same, if
// aged/build.sh has built them.
export function past(days, seconds) {
  const start = Date.now();
  const begin = start - days * day;
  const rate = Math.ceil((days * day) / (seconds * 1000)) + 1;
  const ahead = () => begin + (Date.now() - start) * rate;
  const until = async (time) => {
    while (ahead() < time) await new Promise((wake) => setTimeout(wake, Math.max(1, (time - ahead()) / rate)));
  };
  return {
    env: { GARAGE_CLOCK: `${begin}000000 ${start}000000 ${rate}` },
    now: () => new Date(Math.min(Date.now(), ahead())),
    wait: (count) => until(ahead() + count * day), // also when it has caught up
    until: (count) => until(begin + count * day), // its day
  };
}
