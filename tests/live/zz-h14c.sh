. "$(dirname "$0")/story.bash"
up -l 2 -d 2 --rate 2000pps --workers 2
ip -n drb-s1-0 link delete d0
sleep 0.5
  ip -n "drb-s1-0" link add "d0" type veth peer name eth0 netns "drb-h0" || return
  ip -n "drb-s1-0" link set "d0" addrgenmode none up
sleep 1.5
cat /run/drbswitch/drb/log/s1-0.log
drbctl list
fabric down
