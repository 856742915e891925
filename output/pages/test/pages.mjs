// The pages that are looked at: what writes them, and how many charts and motions they have at least. FILE stands for the
// page, ROWS for rows.json; the status is 0 unless it says otherwise.

export const pages = [
  { name: "every-block", writer: "every-block", charts: 4, motions: 3, tables: 1 },
  { name: "validate", arguments: "validate --from ROWS --report FILE", status: 1, charts: 3, tables: 2 },
  { name: "run", arguments: "run double-spherical-pendulum --set start=spatial --step 1e-2 --until 1 --reference ida-ggl --report FILE",
    charts: 3, motions: 1 },
  { name: "compare", arguments: "compare planar-pendulum --step 1e-2 --until 1 --report FILE", charts: 1, tables: 1 },
  { name: "sweep", arguments: "sweep planar-pendulum --vary step=log-grid(1e-3,1e-1,9) --until 1 --output steps.csv --report FILE",
    charts: 4, tables: 1 },
  { name: "advise", arguments: "advise planar-pendulum --until 1 --error 1e-4 --budget 2 --report FILE", charts: 1, tables: 1 },
  { name: "bench", arguments: "bench small --steps 20 --repetitions 1 --report FILE", tables: 1 },
];
