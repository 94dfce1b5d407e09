// What the projects of the fixture are about: a parking garage. 40 requirements in eight sections, each with the status
// that it is brought to.

// sections have the requirements: title, text, criteria, status, and the package of the code.
const sections = {
  Entry: ['entry', [
    ['The barrier opens for a ticket', 'A vehicle that takes a ticket at the column enters. The barrier stays open until the vehicle has left the loop.',
      ['The barrier opens within 3 seconds of the ticket.', 'It does not close while the loop is occupied.'], 'done'],
    ['A full garage lets nobody in', 'While no space is free, the column prints no ticket and the sign at the road says "Full".',
      ['At 0 free spaces the column prints nothing.', 'At 1 free space it prints one ticket.'], 'done'],
    ['The plate is read at the entry', 'The camera reads the plate of every vehicle that enters, and the ticket carries it. A plate that cannot be read is left empty.',
      ['At least 98 of 100 plates of the sample are read.', 'A ticket without a plate is valid.'], 'done'],
    ['A ticket names the time to the second', 'The printed time is that of the garage, with its offset from UTC.',
      ['A ticket of the hour that is repeated in autumn is not ambiguous.'], 'done'],
    ['The column works without the network', 'A column that has lost its connection prints tickets from its own range of numbers, and sends them later.',
      ['A column without a connection prints 500 tickets.', 'No number is printed twice.'], 'implementation_in_progress'],
  ]],
  Stay: ['stay', [
    ['Free spaces are counted for each floor', 'The signs show for each floor how many spaces are free. A count that is in doubt is shown as a dash.',
      ['A sign follows a change within 2 seconds.'], 'done'],
    ['A vehicle is found by its plate', 'At the terminal a customer who types the plate sees the floor and the row of the vehicle.',
      ['Three characters of a plate are enough where only one vehicle matches.'], 'tested_pass'],
    ['Lights follow the vehicles', 'A lane is lit while something moves in it, and for 90 seconds after.', ['No lane that is in use is dark.'], 'planned'],
    ['Fumes start the fans', 'Above 30 ppm of carbon monoxide the fans of the floor run; above 60 ppm the entry closes.',
      ['The fans run within 10 seconds.', 'The entry closes within 10 seconds.'], 'needs_changes'],
    ['Spaces for the disabled stay free', 'A vehicle without a badge on such a space is reported to the attendant.', ['The report names floor, row and plate.'], 'design_in_progress'],
  ]],
  Payment: ['tariff', [
    ['The price follows the table', 'The price of a stay is that of the table in force when the vehicle entered.',
      ['A table that is changed at noon leaves the price of a vehicle that entered at 11:59.'], 'done'],
    ['A day costs at most the day rate', 'Whatever the hours add up to, 24 hours cost at most the day rate.', ['24:00 hours cost the day rate.', '24:01 hours cost the day rate and one hour.'], 'done'],
    ['A lost ticket is paid by plate', 'Who has lost the ticket pays what the plate owes, or the day rate where no plate was read.', ['No fee is added where the plate was read.'], 'done'],
    ['A stay of at most 15 minutes is free', 'A vehicle that leaves within 10 minutes of entering pays nothing and needs no ticket at the exit.',
      ['Out after 9:59 minutes: nothing is due.', 'Out after 10:01 minutes: the first hour is due.'], 'tested_pass'],
    ['Cards, coins and notes are taken', 'The machine takes cards of two networks, coins from 10 cents and notes up to 50.', ['Change is given to the cent, or the payment is undone.'], 'test_in_progress'],
    ['The attendant opens a barrier from afar', 'The attendant sees a picture of the lane, and opens the barrier with a reason.', ['Every opening is on record with name and reason.'], 'blocked'],
    ['A receipt is printed on request', 'The receipt names the garage, the tax and the time of the stay.', ['A receipt can be had until 30 days after the stay.'], 'implemented'],
  ]],
  'Monthly customers': ['monthly', [
    ['A monthly customer enters by plate', 'The barrier opens for the plate of a contract that is in force, without a ticket.', ['A contract that ended yesterday does not open it.'], 'tested_pass'],
    ['A contract has several plates', 'A contract names up to five plates, of which one at a time may be in the garage.', ['The second vehicle takes a ticket.'], 'test_in_progress'],
    ['Reserved spaces wait until eight', 'A reserved space is kept for its customer until 8:00 in the morning, and given away after.', ['At 7:59 it is kept.', 'At 8:01 it is given away.'], 'design_ready'],
    ['A contract ends at midnight', 'A contract ends at midnight of its last day, in the time of the garage.', ['A vehicle inside at midnight pays from then on.'], 'done'],
    ['Customers change their plates themselves', 'A customer changes a plate in the portal; the barrier knows it within a minute.', ['A plate that another contract has is refused.'], 'implementation_in_progress'],
  ]],
  Exit: ['exit', [
    ['The barrier opens when nothing is due', 'At the exit the barrier opens for a plate or a ticket that owes nothing.', ['It opens within 2 seconds of the reading.'], 'done'],
    ['Who has paid has 15 minutes to leave', 'From the payment on a vehicle has 15 minutes to reach the exit. After that the next hour is due.',
      ['At 14:59 minutes the exit opens.', 'At 15:01 minutes it says what is due.'], 'done'],
    ['In an alarm all barriers open', 'The fire alarm opens every barrier, and keeps it open until a person closes it.', ['All barriers are open within 5 seconds.', 'A power failure counts as an alarm.'], 'tested_fail'],
    ['A tailgater is noticed', 'Two vehicles that pass on one opening are reported with a picture of the second.', ['A trailer is not taken for a second vehicle.'], 'tested_fail'],
  ]],
  Charging: ['charging', [
    ['A charging space knows its vehicle', 'A vehicle at a charging space is known by its plate, and its energy is paid with its stay.', ['Energy is measured to 0.1 kWh.'], 'not_started'],
    ['Power is shared', 'All chargers together draw at most the power that the house has left.', ['The limit is kept to within 2 percent.', 'No charger is without power for more than 10 minutes.'], 'design_in_progress'],
    ['Who has charged makes room', 'A vehicle that is full and stays for more than 30 minutes pays a fee for each further hour.', ['The owner is told before the fee begins.'], 'deferred'],
    ['A charger that fails says so', 'A charger that is out of order is off the sign, and the technician is told.', ['The technician is told within 5 minutes.'], 'planned'],
    ['Prices of energy are shown before', 'The price of a kilowatt-hour is shown before charging begins, and holds for the stay.', ['A change of the price at night does not touch a vehicle that charges.'], 'design_ready'],
  ]],
  Operation: ['operation', [
    ['The attendant sees every lane', 'The control room shows every lane with its barrier, its loop and the last vehicle.', ['A picture is at most 1 second old.'], 'implemented'],
    ['Faults are sorted by what they stop', 'A fault that keeps vehicles in comes first, then one that keeps vehicles out, then all others.', ['The order holds for 200 faults at once.'], 'test_in_progress'],
    ['The height is checked before the ramp', 'A vehicle that is higher than 2.00 m is stopped before the ramp, and led out again.', ['2.01 m is stopped.', '1.99 m is let in.'], 'implementation_in_progress'],
    ['Pictures are deleted after 48 hours', 'Pictures of plates are deleted 48 hours after the vehicle has left, unless a fault names them.', ['No backup keeps them longer.'], 'tested_pass'],
    ['A night has its own tariff', 'From 22:00 to 6:00 the night rate holds; a stay that crosses the border pays both parts.', ['21:30 to 22:30 costs half an hour of each.'], 'implementation_in_progress'],
  ]],
  Reports: ['reports', [
    ['The takings of a day add up', 'The report of a day has the takings of each machine; their sum is what the bank has received.', ['A difference of one cent is named.'], 'done'],
    ['Occupancy is kept for a year', 'For each floor and quarter of an hour the highest number of vehicles is kept for a year.', ['Older numbers are deleted.'], 'blocked',
      { blocked: 'The state has not said which times count as a quarter of an hour.' }],
    ['The tax office can check', 'Every payment is signed, and the chain of signatures can be verified with the public key.', ['A payment that was taken out is found.'], 'not_started'],
    ['A complaint finds its stay', 'With a plate and a day the attendant finds the stay, its price and its pictures.', ['The answer is there within 5 seconds.'], 'planned'],
  ]],
};

const small = /^(a|an|the|of|at|to|is|are|for|by|its|on|in|at|most|be|can|has|all|who|up|when)$/;
const slug = (title) => title.toLowerCase().match(/[a-z0-9]+/g).filter((word) => !small.test(word)).slice(0, 3).join('_');

// requirements returns the first count of the garage, with id, section, code and test of each.
export function requirements(count = 40) {
  const all = [];
  for (const [section, [home, rows]] of Object.entries(sections)) {
    for (const [title, text, criteria, status, reasons] of rows) {
      const number = String(all.length + 1).padStart(3, '0');
      const name = slug(title);
      const test = `Test${name.split('_').map((word) => word[0].toUpperCase() + word.slice(1)).join('')}_PG${number}`;
      all.push({ id: `PG-${number}`, section, title, text, criteria, status, reasons, test, code: `internal/${home}/${name}.go` });
    }
  }
  return all.slice(0, count);
}

// many returns count requirements, which repeat those of the garage for one garage after the other.
export function many(count) {
  const known = requirements();
  return Array.from({ length: count }, (_, n) => {
    const like = known[n % known.length];
    const garage = Math.floor(n / known.length) + 1;
    return { ...like, id: `PG-${String(n + 1).padStart(5, '0')}`, section: `Garage ${garage}`, title: `${like.title}, garage ${garage}` };
  });
}

// remarks are lines of the document that look like requirements, and are not taken.
const remarks = ['- PG-901 Bicycles are parked for free.', '- pg-902: Washing is to be had on Saturdays.',
  '- **PG-903**: [what the sign says]', '- See [PG-904](other.md) for the garage at the station.'];

// write returns a document with requirements.
export function write(list, { title = 'Garage North', lines = [] } = {}) {
  const parts = [`# ${title}`, '', 'What the parking garage at the north station must do. Times are those of the garage.', ''];
  let section;
  for (const one of list) {
    if (one.section !== section) parts.push(`## ${one.section}`, '');
    section = one.section;
    parts.push(`### ${one.id}: ${one.title}`, '', one.text, '');
    if (one.criteria.length) parts.push('Acceptance:', '', ...one.criteria.map((text) => `- ${text}`), '');
  }
  return [...parts, ...lines, ''].join('\n');
}

// withRemarks returns the document of the garage as the project of the fixture has it.
export const withRemarks = (list) => write(list, { lines: ['## Ideas', '', ...remarks] });

// source returns the code of a requirement; what is cited of it is in lines.
export function source({ id, title, text, code }) {
  const name = code.split('/').pop().replace('.go', '').split('_').map((word) => word[0].toUpperCase() + word.slice(1)).join('');
  const home = code.split('/')[1];
  return `// Package ${home} is a part of the garage.
package ${home}

import (
	"context"
	"fmt"
	"time"
)

// ${name} holds what it takes: ${title.toLowerCase()}.
type ${name} struct {
	clock func() time.Time
	lane  Lane
}

// Run does what ${id} asks for.
//
// ${text.replace(/\. /g, '.\n// ')}
func (r *${name}) Run(ctx context.Context, v Vehicle) error {
	now := r.clock()
	if v.Entered.After(now) {
		return fmt.Errorf("%s entered at %s, which is yet to come", v.Plate, v.Entered)
	}
	if err := r.lane.Wait(ctx, v); err != nil {
		return fmt.Errorf("lane %d: %w", r.lane.Number, err)
	}
	return r.lane.Record(v, now)
}
`;
}

// lines returns the lines of the code that are cited: the function.
export function lines(one) {
  const all = source(one).split('\n');
  const from = all.findIndex((line) => line.startsWith('func ')) + 1;
  return `${from}-${all.length - 1}`;
}

// report returns the JUnit report of a test run, in which failed of the tests failed.
export function report(one, { failed = 0, at = new Date() } = {}) {
  const cases = [one.test, ...one.criteria.map((_, n) => `${one.test}/AC-${n + 1}`), `${one.test}/again`];
  const body = cases.map((name, n) => `    <testcase name="${name}" classname="${one.code.split('/')[1]}" time="0.0${n + 1}">${
    n < failed ? '<failure message="the barrier is closed">want open, got closed</failure>' : ''}</testcase>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${one.code.split('/')[1]}" tests="${cases.length}" failures="${failed}" timestamp="${at.toISOString()}" time="0.42">
${body}
  </testsuite>
</testsuites>
`;
}
