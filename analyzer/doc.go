// Package analyzer finds wait states in an archive: [Analyze] turns a trace.Archive into a report.Experiment.
// The matching engines (match_*.go) each simulate one kind of synchronisation object. They find synch points: which operation could
// continue when, because of whom. Package analyzer knows no wait states itself. Its caller passes patterns (package patterns lists them);
// each of them names the waits at one kind of synch points.
//
// # Phases
//
//  1. scan: every event once, locations in parallel, the events of each in order. It finds call paths,
//     exclusive times and visits, operations, lifetimes, counters, creations.
//  2. match: groups operations by object, and simulates objects in parallel. It finds synch points, and so waits.
//  3. critical path: backwards over locations, along waits and creations; then reads the events in its intervals again.
//  4. build: canonical order of everything, imbalance, statistics, findings.
//
// Workers combine only sums of integers; everything else gets a total
// order before use. So results do not depend on the number of workers, on scheduling or on chunks. All divisions
// of integers are floored. Times are ns since the start of the experiment, or ticks of a finer or coarser clock if the archive has one: then every time, and
// every sum of durations, becomes ns when the report is built.
//
// # Call paths
//
// A call path is its parent, a region and the kind of event that opened it (Enter, SendBegin …). Regions with
// equal name, function, file, line and Operation flag are one region, whatever process they are from. Besides
// user regions, operations (events that open a level) are levels, and Close, Signal, Broadcast and Create are
// leaves that are visited but take no time. Every location has one more path, its own: a root whose region is the
// one of its Begin event (its first, counter samples and overhead apart), or, without a Begin or a region in it,
// the region "(goroutine)" without file, or, of threads of other programs, "(outside regions)". It takes the time outside any level and is visited once per location;
// the levels themselves do not lie below it. The order of paths is preorder, siblings ascending by (region name,
// file, line, function, operation, kind).
//
// Unlock, add and done belong to the path they are called in.
//
// A select that is the innermost level when its location does anything else (an event that opens a level, Exit, End,
// Create, Sample, or an operation without length) was left by a case that recorded nothing. It ends there, with
// outcome Failed. So it has no wait, and its time stays communication, because it is not known how much of it was waiting.
// It is counted, and a warning names the first one (by begin, location, region). From there on it is on no call path,
// but events that close levels still find it there, as an operation.
//
// Exit closes one level and as many more as it says, Leave and Chose close up to and including the innermost
// open operation, also a forgotten select (an open region above it has lost its exit), Lost closes the levels it
// says. A level that should be closed but is not open is counted. An operation closed by Exit or Lost ends there: by Exit with
// outcome Panicked, by Lost with outcome Failed. End closes all levels, operations with outcome Panicked. Times that
// run backwards within a location are set to that of the previous event, and counted.
//
// # Lifetimes
//
// A location lives from its Create event, if that is not later than its first event, else from its first event
// (a later Create is counted as a repaired clock). It ends at its End event. Without one it ends with its
// process if a level is open then or if it is the main location of the process, else at its last event; in an archive that was not
// completed always at its last event: what is missing may be anything. So it does if that is Lost, or if its process counts more events lost than the
// Lost events of its locations tell, so that its End may be one of them. A
// process ends at its recorded end or at its last event, whichever is later. The main location of a process is
// the one with goroutine id 1 and nobody else. If the root process has no events, the first process with events takes its
// place on the critical path. Locations without events do not exist.
//
// # Time
//
// The time between two events of a location is charged to the innermost open level, by the kind of the level:
// regions and own paths to execution; channel operations, selects and waits for the network to communication; locks, joins,
// conditions, Once and barriers to synchronization; sleeps to sleep. An Overhead event takes the min(its
// duration, time since the previous event) before it out of this, as overhead of the same path. start_latency =
// first event − begin of life, on the own path. What a location did before a Lost event, from its event before on, or, if it is its first, from its begin of life, is not
// known: that is events_lost, of the innermost level's path, and in the own time of no operation.
//
// If a process of the archive has Running events, its sources tell states. A location is in a state from a Ready, Syscall, Assist,
// Stopped or Parked event to the next event of these kinds, Running or Lost, whatever levels are opened and closed meanwhile. Where the innermost
// level is no operation, that time, but overhead, goes to the metric of the state instead, on the same path: ready, or yielded if the
// Ready event says so, system_call, gc_assist, stopped, unrecorded_wait. The time in Ready and Stopped where it is an operation is known as ready time of that. In other archives the events mean nothing.
//
// Then, for each operation, whose own time is its length without nested levels and overhead:
//   - its waits, in their order, each take min(length, own time left) for their metric;
//   - then wakeup takes min(rest, own time left), where the rest is what of [Begin of its first wait, End) its
//     waits do not cover; of that, its ready time, but no more, goes to ready_after_wait;
//   - an operation on an object that blocked and has no wait (its partner was there before it began) gives
//     min(End − Blocked, own time left) to wakeup;
//   - one without object that waited has an external_wait (network, if that is what it waited for and there are states; timer_wait, if it is a select that never ended, and a timer ran
//     that ends it when it blocked) from Blocked (a select: from its begin) to its end; it waited if it blocked and is no sleep, or is a select that never ended or has an outcome other than
//     Failed and Panicked;
//   - what is left of its ready time, but no more than is left of its own, goes to ready;
//   - the rest stays where it was charged.
//
// An external_wait or network to the end of an operation is shorter by the ready time: it is known when it was over.
//
// Sleep is never external_wait. The sum of all time metrics is the sum of lifetimes, exactly.
//
// Where there are states, the time of each process that tells them is divided into at most 1024 parts of equal length, a power of two of ns. A part is
// busy if goroutines ran in it for four fifths of its length times the number of processors. The load of the root process is the length of all busy
// parts, and the time in which goroutines were ready or stopped in these, start latency included. A location runs that is in no other state, but in assist; but not in an
// operation that has blocked, nor in a sleep.
//
// Visits are counted at Enter, at operations and at the leaves above; messages are sends with outcome OK or released by a receive,
// and selects with outcome Sent, acquisitions are locks with outcome OK, all at the operation's path.
//
// A failed try is a lock or select that did not block, and that its own event, of outcome Failed, ends as the innermost level. A select whose number is
// above 1 stands for so many of them: its own time, without ready time, is polling. Where a location opens a level after a failed try, at the same path, and nothing lies between
// but events that tell something (states, overhead, counters), during which it ran for no more than 100 ns, polling is that time and the own time of the try (unless that stands for several). It is
// in no other metric's place: it remains in execution, communication and synchronization, too. The tries whose time is polling are counted, no others.
//
// # Waits
//
// Which operations wait for whom is defined by the matching engines. A wait for a location that begins as os/signal.loop, or that which signal.NotifyContext starts, is an external_wait: signals come from outside. An operation without object
// is not matched. One on an object of kind Waits is matched with what is told to have ended it, see told. An unmatched operation on an object gets an external_wait from the matching engine. An
// instance of a wait state is all waits of one metric in one operation: its duration is their sum (as charged),
// its begin the first begin, its end the last end, its causer the one of its longest wait (the later of
// equals). An operation that never ended ends with its location and is Open; it is listed as never ended if it
// is the innermost level of its location at the end, unless it is a sleep or the Once operation that runs the
// function, or events of the location were lost, or its end may be, or the archive was not completed, or it is ready to run, or it was released: the matching engine is certain that what it waited for
// has come (a lock that became free does not release, because another operation may get it). The time after its wait is then wakeup.
// Its holder is the causer of its last wait, if that wait lasts to the end.
//
// # Critical path
//
// The focus is the life of the root process, from its start to its end. The path P lies in its locations only.
//
// A wait for another of an operation is all its wait states with a causer other than the operation's own location, as one: from the begin of
// the first to the end of the last, the causer of which let the location go. It counts as one if that causer lives then
// (begin of life ≤ end of the wait ≤ end of life). P passes such a wait when it takes it or finds at its end that its causer counts as
// unknown. At time t a location waits for another if t lies strictly between begin and end of such a wait, or at the
// end of one that P has passed. A location is open at t if begin of life < t ≤ end of life and it does not wait for
// another at t.
//
// P starts on the location that was active last: at the end of its life, or, if its innermost level then is an operation that never
// ended (but a sleep of the main location, or the Once operation that runs the function), at the begin of that. One that served a trace or a profile of the program (a function of net/http/pprof) counts as active at the begin of its
// life: it waits for the end of the trace, not the program for it; and so does one that hands on signals, or writes a profile (runtime/pprof.profileWriter), as it waits for the next in a system call. Of equals it is the main location, else the
// lowest-numbered. From the end of the focus back to the end of its life P is not recorded. Then, on location l at time t:
//   - of the waits for another of l with end ≤ t that P has not passed, consider the one with the latest end (equal ends: the
//     highest causer, the latest begin, the deepest call path). If its end is later than the begin of l's life, and its causer
//     does not wait for another then, P takes it: it was on l during [end, t) and goes on at the causer at the end of
//     the wait. If the causer does, it counts as unknown: P stays on l, and the next wait is considered.
//   - before P passes such a wait, and before it comes to the begin of its life, it looks at the waits for the network of l with a later end e ≤ t, not
//     empty and without causer, the latest end first (equal ends: the latest begin), if l is a reader: its Begin event names a function that reads what others
//     have asked for, or accepts their connections (readers.go). Who asked is not recorded, but it was another. So P goes back along the waits that it took, the last first; those it goes back
//     over are not gone back to later. If the waiter is in that very wait at e, or in another one for l, P goes on at the waiter at the begin b of that; if it
//     is open at e, there, b = e. Else it did not ask. Where b lies before the begin of l's wait, that wait and the last one taken are left alone: l
//     did something else since. P was on l during [b, t).
//   - likewise, of the waits for locks that P took: consider the end e ≤ t of the last rest of l that ended before the last of these waits began, and later than the wait of l that is considered, or the
//     begin of its life. A rest is a sleep that ended or, in a process that tells states, an external_wait in an operation that ended, apart from its waits for others. Who waited for a lock was
//     on his own way before, and did not need what l did: only the lock was in his way. So for each of these waits that began later than e, the first one taken first, consider the way from its waiter, at its begin, back to e,
//     along waits for another that are not for locks, whose causer is not strictly inside a wait for another then, and from the begin of a life to its creator. If it comes to a location while P is there, P has come back to it: this wait, and those
//     that P took before it came back, are no longer looked at so. The same is true of this wait if the way ends at l, then of all, or is not known: a creator or, at e, a wait for another. Else P was on l during [e, t) and goes on at e
//     at the location where the way ends, and that wait and those taken later are not gone back to later. No way has more than 10,000 steps, and all ways together look at no more than 1,000 steps and 64 for each of P; what would need more is not known.
//   - before P looks at the begin of l's life, or at a wait that ended before the last one taken began: if that one was for l, is shorter than a twentieth of what l had lived before within the focus, no wait for another
//     that is for no lock was for l before, and l rested before it, or writes a profile, P was on l from the begin of that wait on, and goes on there at the waiter: l goes on beside the program, and was told to end.
//   - otherwise P was on l from the begin s of its life to t, start latency included, and goes on at its creator at s. A
//     creator counts as unknown if it does not live then, if it does not come before l in the order of (begin of life, location), or if
//     it waits for another.
//   - if the creator is unknown, P goes back along the waits that it took, the last first; those it goes back over are not gone back to later.
//     It stops at the first waiter that is (a) inside that very wait, begin < s: the remainder [begin, s) is not recorded, shown with
//     the wait's call path, and P goes on at the waiter at the begin of the wait; or (b) open at s: P goes on there at s.
//   - if there is none, P goes on at s at the lowest-numbered location that is open at s. If there is none, P is not recorded back
//     to the latest earlier time at which there is one, and goes on there.
//   - it ends where it reaches the begin of the focus. If it finds nobody, it is not recorded back to there.
//
// Steps of the last two kinds, for a creator that is unknown, are counted as steps by time if they lead to a location. So P is contiguous, as long as the focus, and
// ends: each wait is taken and gone back to at most once, and time never rises. Otherwise sleep, external_wait and network stay on the location.
//
// critical_path = time of (call path, location) while P is on the location, by the innermost level as for time. What
// is not recorded stands in a call path of its own, the region "(not recorded)" below the call path of the wait, else alone, on the
// waiter; else on the location at which P goes on, or, if it finds nobody, from which it came. It has no visits, no part in
// critical times and no critical_path_imbalance.
//
// P is divided up by what its location did: runnable, start latency, and the states ready and stopped; external, system_call and unrecorded_wait;
// execution, gc_assist; sleep, the own time of sleeps; of the own time of any other operation waiting, inside of its wait for another, or of what would be one if the causer lived; external, inside of its other wait
// states; runnable, behind the begin of its first wait of any kind, or, if it is on an object, blocked and has none, from where it blocked.
// not recorded, as above; and execution, all the rest. These add up to the focus. The time in each operation but sleeps, overhead
// apart, is divided up the same way, for each group, and so are states in regions and own paths. Taken is how many waits there P took, also those that it went back over later.
//
// The critical part of a wait is the time within [From, End) during which P is on its causer, where From is the begin of the wait
// state, but for joins max(begin, mean time of the Dones of the counter's generation). What waits in package testing waits for the goroutine that
// runs a test or benchmark, and a late peer's for an answer, which are joins of one: From is their end. So it is of waits for a value or a close by who writes to connections for others, or makes them, and has nothing to do until these ask (carriers, in readers.go). What waits for a close often waits for the end of all, and does nothing
// behind it: such a wait has a critical part only if P comes from its causer to its location when it ends. Who is idle until it is given something, which nobody then waits for, or which is done soon, delays nothing: so a wait for a close
// or a value has a critical part only if one of these is true: P is on its location later than it is ever on its causer, and for a value at least a quarter of [From, End); P goes from where it is on the causer last of all to a location of the group of its own; P goes there from
// where it was last on the causer before the end of the wait, and is not back on the causer after less than a quarter of [From, End). A wait for a lock has none if P leaves its causer at
// End, is back there after less than a fiftieth of that time, and is on the waiting location for less than that in all from then on: the lock was taken for a moment from one that works under it. Nor has
// one for a lock, a condition, a WaitGroup or a Once in a process that tells states, so that what P waits for is known, unless P goes from its causer to a location of the group of its own at End; or is on its location for a fiftieth of [From, End) or more from then on; or is on locations
// of its group for that long in all, and on one of them later than End. The latter two are not enough for waits of a line during which P is on their causers for more than ten times as long, all together, as it is on locations of the group: nobody needed what it did then, as of one that shows what the program does while that works under the lock. Critical
// cells are sums of this over (metric, call path, location); a finding and a metric take the union over time.
//
// The first findings say what their causers did meanwhile: they divide the critical time of the finding by call path, like
// critical_path. They also say what the counters of the causers counted in that time. The report says the same for the whole path: see Counters.
//
// critical_path_imbalance of a call path = max(0, its critical_path summed over locations − mean of its
// non-waiting time over the locations that visited it), where waiting is what wait states take. It is charged
// to the location with the most critical_path there (the lowest of equals).
//
// # Causes of waits
//
// Wait states whose pattern has Roots have causes. Where locations wait for one of them, who came last, they meet: at a barrier, a fork, a message that was waited for; and where threads begin to be idle. In collective operations that all
// leave together all of them meet; in those in which all get something of all, but not all were in it at one time, those meet who waited for the last that sent; where some wait for one, or the operation does not block, each of them meets that one. All that begin or end with MPI_Init or MPI_Finalize meet, and in the end the threads that
// are idle meet who forked the last team. Other waits, in scans, for windows and for locks, count as what their call path takes. A location has an encounter in each of its meetings, at the begin of its operation. Its wait is that of the wait state.
//
// For a wait w of location q for p: S is the last meeting before of p and q, the begin if there is none. P(c) is the time of p in call path c from its encounter in S to the one in which q waits, without
// idleness, less the waits of its encounters in between, and less, in the call path of its encounter in S, the length of that operation; of that what p needed longer than the first one to leave, since the last one came (in a collective
// operation: of those who meet, but of a broadcast of those who waited), or than the other one (for a message) remains. Q(c) is the same of q; who is idle has none. The excess is max(0, P(c) − Q(c)), W the sum of the waits of p in between, B that of
// all excess and W.
//   - The short-term costs of (c, p) are excess × w/B, where for messages w/B is at most 1, and for idleness it is 1.
//   - A wait v of p in between is charged v × w/B for w, and v × (what w itself was charged, by wait state)/B.
//   - The long-term costs of (c, p) are excess × that second factor, by the wait state of the later wait.
//
// So meetings are looked at backwards: a meeting when all later ones of those who met have been. Of waits for messages, the part W × min(1, w/B) is indirect; the largest v × min(1, w/B) of the waits w for messages that v
// is charged for is propagating. The rest is direct, or terminal. Sums are floating-point numbers, added in an order that the trace alone defines, and rounded once.
//
// Goroutines meet where one waited for another, with Late peer, at a barrier all of them; and where one is created, if it and its creator meet anybody. Who waits has its encounter at the begin of the
// wait, of which nothing is done but the wait; the other one at the end of it. Where a lock is held, or the function of a Once is run, by the causer, they also meet at the begin of the wait: so P(c) is what the causer did during it, and a wait of the causer that
// had begun before counts from there. Where p and q never met and p was created in w, only what follows is a wait for p; what comes before is a wait for its creator, likewise. w/B is at most 1. Waits that never ended have no causes. All other time of the causer counts as what its call path takes, also where it was not told what it waited for. Waits for a goroutine that hands on signals have no causes, those for a
// lock that more than 128 others held meanwhile the causers that they are charged to. The largest v × min(1, w/B) of all later waits is propagating.
//
// The last meeting before is looked for backwards on both locations at once, an encounter of each at a time; where times agree it does not matter where it is found first.
//
// # Performance impact
//
// Where locations are threads of processes, what the whole run costs is divided among call paths. own(c, l) is the time of call path c on location l that no wait state
// takes. critical(c, l) is critical_path, without what is not recorded, from the begin of MPI_Init on the location that
// P is on when the last one begins, to that of the last MPI_Finalize, where there are such calls. on(c) is the sum of that over l, and all the sum of on(c). Then
//   - critical_path_activities(c, l) = min(own(c, l), on(c)), and non_critical_path_activities is the rest of own(c, l);
//   - l lacks all − Σ own(c, l) over c. That is divided among call paths by on(c) − min(own(c, l), on(c)). What c has of it, for all l together, is divided
//     among locations by critical(c, l): critical_imbalance_impact. It may be negative, if clocks or calls overlap, and then counts as 0;
//   - if own(c, l) were at least on(c) where it is not 0, l would lack all − Σ max(own(c, l), on(c)) over those c. That is divided among the others by
//     on(c), and then as above: inter_partition_imbalance. intra_partition_imbalance is what is left of critical_imbalance_impact.
//
// Of a collapsed group, all locations count as if each had the mean.
//
// # Groups
//
// A group is (process, name, creating call path). The name is the one of the own path's region; without a Begin
// region that of the first region entered, else "(goroutine)"; the main location of a process is "main". The
// creating call path ends in the Create leaf. A group of function literals is called after the region that
// its members call, if they are there for more than nine tenths of the time in which they are not in an operation of the literal itself, and if that is so of all groups of the literal that call
// the region, taken together; where the literal is of the program itself, each of them; so is one of what a go statement calls that is the value of a variable. Threads of processes that have one name are a group, in all processes. Groups are in the order of their first location. Locations are
// called after their group, with [0], [1] … in the order of locations if the name is not unique. Beyond 4096
// locations those of a group are collapsed into one.
//
// # Imbalance
//
// For a group of N > 1 goroutines and each call path with execution time in it: avg = sum / N. Of the N, those
// above it have overload = own − avg, those below, with those without time there, underload = avg − own. Both
// are children of imbalance. Where fewer than one of 256 goroutines came to the call path, they are not compared: they do other work than the rest, and what that
// lacks would be a cell for every pair of them. Goroutines that run tests or benchmarks are not compared with each other.
//
// Threads are compared as in Scalasca (metric imbalance of 2.6): in call paths inside of a parallel region, all of them; elsewhere the first ones of all processes, and
// the others within their group. The underload of those that never came to the call path is told apart: imbalance_below_bypass; and, where only one came,
// its overload, imbalance_above_single, and the underload of the others, imbalance_below_singularity. In programs with parallel regions that is so only in these.
//
// # Counters
//
// The difference of two consecutive samples of a location is charged to the innermost level just before the
// event that the later sample belongs to, but to the one around it if that is an operation about to wait (the
// sample belongs to its Blocked event): to <counter> if both first words are equal and not zero. If the later
// sample has a second value for each counter, these are bounds of what was counted in between, and charged
// to the child <counter>_uncertain instead; 2^63 and above say that there is none. Counters of the whole process
// ("go:") are always uncertain, by their difference, whatever the first words and bounds. The difference to a sample
// before a Blocked or SelectBegin event is not charged unless the first words are equal: the goroutine
// waited. Other differences, negative ones, those with a sample that lacks values, and stretches without a
// bound are not charged but counted.
//
// A stretch between two samples of a location is inside a part of the critical path if the path is on the location, and in the part, during the whole
// stretch. It overlaps the part if that is so during some of the stretch. A stretch without length counts as the ns on both sides of it. The counts in
// a part are at least the certain counts of the stretches inside it, and at most all counts of the stretches that overlap it, uncertain ones with their
// bounds; there is no upper bound if one of these was not charged. What a location did before its first sample and after its last is
// not included; a counter without such a stretch is not reported. User metrics: the sum of the samples at the innermost level.
//
// # Statistics
//
// Of n instances in ascending order s: the quartile p is s[⌈p·n⌉ − 1], the nearest rank, Mean = sum /
// n. The worst ten are the longest, equals by (begin, location, depth of the call path).
//
// # Findings
//
// A waiting line is (metric, call path, group of the waiting location, class of objects). Objects of one process and kind are one class if
// the program calls them by one name that means the same everywhere, else if they were first used at one place, which calls them by one name; an
// object of which neither is known is a class. A finding is all lines of one class with one metric, but of a class of locks with any other than external_wait; lines without
// object are findings of their own, but of threads of processes, all with one metric and call path are one. Its severity is the sum over its lines, its critical time their union over time. Its place is that of its first
// line. Lines and findings are ordered by critical time, severity (both descending), metric, call path, group; findings then by the first
// of their objects; locations and causers within by severity (descending), then ascending. Of the first findings, one whose critical time is at most a
// twentieth from that of another comes behind it if its first causer is of a group that waits in the other, and not the other way around: both are
// ends of one chain, and the other is nearer to its cause.
//
// Of each causer of one of the first findings: it is awaited during the union of the waits [from where they are critical, end) of the finding for
// it. Of that, what the path was on it is critical time; of the rest, what lies in a wait for another of its own (of several, in the one that ends
// first, of equals the innermost) is onward, by the call path of that operation and the group of its causer. These are summed over the causers.
//
// If all causers of a finding whose pattern has advice for that are of one group, they are busy workers if the group has several goroutines at once, none
// of which is among the waiters, half of which or more are causers, of more waits than they are, and waits other than external ones are at most a tenth of the group's time, without that in
// operations on objects that never ended, and without that in which they had no processor; in waits for what is sent, external ones, and those for who reads what was asked for, count, too. And they must be one pool: the class of the finding is one object; or, where it is several, or objects
// are not known, any two waiters are connected by causers for whom both waited, or a chain of such waiters. All places of a semaphore
// are taken if the wait is for room in one channel, and each group of causers is among the waiters, and one of the waiters also made room for others; or, of the first findings, is of goroutines nine tenths of
// which were created by waiters, which make room once each, and of which no more live at once, on average, than the channel has room for.
package analyzer
