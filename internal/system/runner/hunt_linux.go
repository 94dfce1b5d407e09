package runner

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hunt finds what belongs to a run through /proc, and kills it.
type hunt struct {
	leader int      // process id, and that of its group; ours until it is reaped
	mark   []byte   // in the environment of whatever has not dropped it
	pipes  []string // as the links in /proc/…/fd name them
	// when the leader was started, in ticks since the system was; what is older is not of this run
	since   uint64
	session int            // ours
	killed  map[int]uint64 // when those were started
	// not of the run; the search is over long before such a number can be given to another process
	old  map[int]bool
	dead map[int]uint64 // that were dead at an earlier look: whatever they have started was in the list of that one
}

// kin is a process as /proc/…/stat shows it.
type kin struct {
	pid, parent, group, session int
	started                     uint64
	dead, kernel                bool
}

const (
	maxDoubts    = 20      // looks in a row that found nothing and were not sure
	kernelThread = 1 << 21 // PF_KTHREAD in the flags of a process
)

func newHunt(leader int, mark string, pipes []*os.File) *hunt {
	h := &hunt{leader: leader, mark: []byte(mark), killed: map[int]uint64{}, dead: map[int]uint64{},
		old: map[int]bool{os.Getpid(): true}}
	for _, f := range pipes {
		if c, err := f.SyscallConn(); err == nil {
			_ = c.Control(func(fd uintptr) {
				var s syscall.Stat_t
				if syscall.Fstat(int(fd), &s) == nil {
					h.pipes = append(h.pipes, "pipe:["+strconv.FormatUint(s.Ino, 10)+"]")
				}
			})
		}
	}
	h.session, _ = unix.Getsid(0)
	if k, ok := look(leader); ok { // it is there as long as we have not reaped it
		h.since = k.started
	}
	return h
}

// kill ends everything of the run, and gives the number of processes that would not go in time.
//
// One look at /proc that finds nothing is enough, if it could judge all that it saw: the list goes up with the numbers,
// so that of a chain of processes, each of which starts the next and ends, at least one is in it. One that ended or
// became another program before it was judged may have been such a link, and asks for another look. Elsewhere on a busy
// machine that happens without end, so there is a limit to it.
func (h *hunt) kill(leaderGone func() bool) int {
	for until, doubts := time.Now().Add(sweepFor), 0; ; {
		found, doubtful := h.sweep()
		if doubts++; found > 0 {
			doubts = 0
		}
		if found == 0 && leaderGone() && (!doubtful || doubts > maxDoubts) {
			return 0
		}
		if time.Now().After(until) {
			return max(found, 1)
		}
		time.Sleep(time.Millisecond)
	}
}

// sweep kills what it finds, and counts it. The parents are noted before anything is killed, since orphans get another.
func (h *hunt) sweep() (found int, doubtful bool) {
	young, doubtful := h.young()
	_ = syscall.Kill(-h.leader, syscall.SIGKILL) // at once and whole; its number is not given back before reap
	ours, sessions := map[int]bool{h.leader: true}, map[int]bool{}
	take := func(k kin) {
		found++
		ours[k.pid] = true
		if k.session != h.session && k.session != 0 {
			sessions[k.session] = true
		}
		h.end(k)
	}
	for _, k := range young {
		switch mine, sure := h.judge(k); {
		case mine:
			take(k)
		case !sure:
			doubtful = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, k := range young {
			if !ours[k.pid] && (ours[k.parent] || sessions[k.session]) {
				take(k)
				grown = true
			}
		}
	}
	return found, doubtful
}

// young returns the living processes that were started with the run or later; and whether one went before
// it could be seen how old it was.
func (h *hunt) young() (all []kin, doubtful bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	for _, name := range slices.Backward(names) { // the newest first: they may be gone soonest
		pid, err := strconv.Atoi(name)
		if err != nil || h.old[pid] {
			continue
		}
		k, ok := look(pid)
		switch {
		case !ok:
			doubtful = doubtful || pid > h.leader
		case k.kernel || k.started < h.since || k.pid == h.leader && k.dead:
			h.old[pid] = true
		case !k.dead:
			all = append(all, k)
		case h.dead[pid] != k.started:
			h.dead[pid], doubtful = k.started, true
		}
	}
	return all, doubtful
}

// judge recognizes a process by its group and by what it was given. It is not sure of one that is another by now, and
// of one that has no environment, as is so in the moment in which a process becomes another program.
func (h *hunt) judge(k kin) (mine, sure bool) {
	dir := "/proc/" + strconv.Itoa(k.pid)
	environ, err := os.ReadFile(dir + "/environ")
	given := func(e []byte) bool { return bytes.Equal(e, h.mark) }
	if k.group == h.leader || h.killed[k.pid] == k.started ||
		slices.ContainsFunc(bytes.Split(environ, []byte{0}), given) {
		return true, true
	}
	if errors.Is(err, fs.ErrPermission) { // another user's
		return false, true
	}
	if h.holdsPipe(k, dir) {
		return true, true
	}
	now, ok := look(k.pid)
	return false, ok && !now.dead && len(environ) > 0
}

// holdsPipe reports whether a process has a pipe of the run open. One that we are starting for somebody else has copies
// of all our descriptors for a moment, until it becomes another program: those are no sign in a child of ours.
func (h *hunt) holdsPipe(k kin, dir string) bool {
	if k.parent == os.Getpid() {
		return false
	}
	open, _ := os.ReadDir(dir + "/fd")
	return slices.ContainsFunc(open, func(fd os.DirEntry) bool {
		to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name()))
		return err == nil && slices.Contains(h.pipes, to)
	})
}

// end kills a process, and the group that it is in if that can only be of the run. The handle holds the process, so
// that its number cannot mean another one meanwhile.
func (h *hunt) end(k kin) {
	p, err := os.FindProcess(k.pid)
	if err != nil {
		return
	}
	defer func() { _ = p.Release() }()
	now, ok := look(k.pid)
	if !ok || now.started != k.started {
		return
	}
	if now.session != h.session && now.session != 0 && now.group > 1 {
		// groups do not reach over sessions, and this session is of the run
		_ = syscall.Kill(-now.group, syscall.SIGKILL)
	}
	_ = p.Signal(syscall.SIGKILL)
	h.killed[k.pid] = k.started
}

// reap takes the dead that came to us as orphans, which is so where the service is the first process of a container.
func (h *hunt) reap() {
	for pid := range h.killed {
		if k, ok := look(pid); ok && k.dead && k.parent == os.Getpid() && pid != h.leader {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
}

// look reads the state of a process. The name of its program comes second, in brackets, and may hold anything.
func look(pid int) (kin, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return kin{}, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 { // proc(5): the state is the third field, the start the twenty-second
		return kin{}, false
	}
	k := kin{pid: pid, dead: strings.ContainsAny(fields[0], "ZXx")}
	for i, to := range map[int]*int{1: &k.parent, 2: &k.group, 3: &k.session} {
		if *to, err = strconv.Atoi(fields[i]); err != nil {
			return kin{}, false
		}
	}
	flags, bad := strconv.ParseUint(fields[6], 10, 64)
	k.kernel = flags&kernelThread != 0
	k.started, err = strconv.ParseUint(fields[19], 10, 64)
	return k, err == nil && bad == nil
}

// observe waits for the leader without taking its number from it: as long as that is not given back, it names this
// group alone.
func (p *process) observe() {
	defer close(p.exited)
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// reap takes the number back. A leader that could not be killed is left to itself.
func (p *process) reap() {
	if closed(p.exited) {
		_ = p.cmd.Wait() // how it ended is in ProcessState
		return
	}
	go func() { <-p.exited; _ = p.cmd.Wait() }()
}
